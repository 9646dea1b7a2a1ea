/** What is wrong with a file, where, and what was expected there. */
export interface FileProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
  /** A file with an error is not taken up; a warning changes nothing. */
  readonly severity: "error" | "warning";
}

/** A problem as one line, in the form that editors can jump to. */
export function problemText({ file, line, message, severity }: FileProblem): string {
  return `${file}:${line}: ${severity === "warning" ? "warning: " : ""}${message}`;
}
