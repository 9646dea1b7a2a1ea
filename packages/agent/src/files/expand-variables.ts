/** Where `${NAME}` finds its values; the environment is one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A text with `${NAME}` and `${NAME:-default}` replaced; `missing` lists names without value and default. */
export function expandVariables(text: string, variables: Variables): { text: string; missing: string[] } {
  const missing: string[] = [];
  const expanded = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise: string | undefined) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      // As in a shell, `:-` also stands in for an empty value.
      if (otherwise !== undefined) return value || otherwise;
      if (value === undefined) missing.push(name);
      return value ?? "";
    },
  );
  return { text: expanded, missing };
}
