/** The words that a reader of Markdown sees or hears besides its text. */
export interface MarkdownLabels {
  readonly copy: string;
  readonly copied: string;
  readonly copyFailed: string;
  readonly code: string;
  readonly table: string;
  readonly image: string;
  readonly done: string;
  readonly notDone: string;
}

/** The words in English, for where no others are given. */
export const englishLabels: MarkdownLabels = {
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Could not copy",
  code: "Code",
  table: "Table",
  image: "Image",
  done: "Done",
  notDone: "Not done",
};
