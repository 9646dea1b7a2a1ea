import { type FSWatcher, statSync, watch } from "node:fs";

/** How a folder is watched. */
export interface FolderWatchOptions {
  /** How long it must be quiet after a change, so that half-written files are not read. */
  readonly debounceMs: number;
  /** How often it is looked at anyway: notices get lost, and some file systems send none. */
  readonly rescanMs: number;
  readonly onChange: () => void;
}

/** Tells when something in a folder may have changed, also when the folder comes and goes. */
export class FolderWatch {
  readonly #folder: string;
  readonly #options: FolderWatchOptions;
  readonly #rescan: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #watched: number | undefined;
  #debounce: NodeJS.Timeout | undefined;

  constructor(folder: string, options: FolderWatchOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#watch();
    this.#rescan = setInterval(() => {
      this.#watch();
      options.onChange();
    }, options.rescanMs).unref();
  }

  close(): void {
    clearInterval(this.#rescan);
    clearTimeout(this.#debounce);
    this.#watcher?.close();
  }

  /** A folder that was removed and made again is another one, of which the old watcher knows nothing. */
  #watch(): void {
    const inode = statSync(this.#folder, { throwIfNoEntry: false })?.ino;
    if (inode === this.#watched) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = undefined;
    if (inode === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#notice());
      // Out of watches, or the folder is gone: the rescan sees to it.
      this.#watcher.on("error", () => {
        this.#watched = undefined;
      });
      this.#watched = inode;
    } catch {
      this.#watched = undefined;
    }
  }

  #notice(): void {
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(this.#options.onChange, this.#options.debounceMs).unref();
  }
}
