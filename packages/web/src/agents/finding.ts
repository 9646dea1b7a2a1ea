/** Something that the validator has to say about an agent's card. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
}

/** Parses a finding from the API: `error at $.skills[0].id: it is required`. */
export function findingOf(text: string): Finding {
  const [, severity, path, message] = /^(\w+) at (\S+): (.*)$/s.exec(text) ?? [];
  return {
    severity: severity === "error" ? "error" : "warning",
    path: path ?? "",
    message: message ?? text,
  };
}
