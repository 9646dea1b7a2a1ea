import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";

/** Accepts files dropped on the page; true while files are dragged over it. */
export function createFileDrop(onFiles: (files: readonly File[]) => void): Accessor<boolean> {
  const [isAbove, setAbove] = createSignal(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    // Otherwise the browser would open the file in place of the page.
    event.preventDefault();
    setAbove(true);
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) setAbove(false);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setAbove(false);
    onFiles([...(event.dataTransfer?.files ?? [])]);
  };
  onMount(() => {
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
  });
  onCleanup(() => {
    document.removeEventListener("dragover", over);
    document.removeEventListener("dragleave", leave);
    document.removeEventListener("drop", drop);
  });
  return isAbove;
}

/** The files that are pasted, where what is pasted is files and not also text. */
export function pastedFiles({ clipboardData }: ClipboardEvent): readonly File[] {
  const files = [...(clipboardData?.files ?? [])];
  return clipboardData?.types.includes("text/plain") ? [] : files;
}
