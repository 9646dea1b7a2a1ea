/** Where `${NAME}` finds its values; the environment is one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A text with `${NAME}` and `${NAME:-default}` replaced; `unset` is told of names without value and default. */
export function expandVariables(text: string, variables: Variables, unset: (name: string) => void): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // As in a shell, `:-` also stands in for an empty value.
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined) unset(name);
    return value ?? "";
  });
}
