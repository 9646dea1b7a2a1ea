/** One breach of the architecture: the rule, the file or folder that breaks it, and what it does. */
export interface Violation {
  readonly rule:
    | "import against the arrows"
    | "import that leaves its package"
    | "undeclared dependency"
    | "test code in the product"
    | "undocumented setting"
    | "documented setting that nothing reads"
    | "name exported twice"
    | "export that shadows a global"
    | "unknown package"
    | "folder without a subject";
  readonly path: string;
  readonly detail: string;
}
