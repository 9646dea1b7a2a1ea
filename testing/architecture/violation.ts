/** One breach of the architecture: the rule, the file or folder that breaks it, and what it does. */
export interface Violation {
  readonly rule:
    | "import against the arrows"
    | "import that leaves its package"
    | "undeclared dependency"
    | "test code in the product"
    | "setting that no operator is told of"
    | "unknown package"
    | "folder without a subject";
  readonly path: string;
  readonly detail: string;
}
