/** A word in single quotes, as bash, zsh and fish read it alike. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Every way from a command to one of its own, as `place word`, for a script that finds out where it is. */
export function steps(
  commands: readonly { readonly place: string; readonly commands: readonly { readonly word: string }[] }[],
): string[] {
  return commands.flatMap(({ place, commands: subs }) => subs.map(({ word }) => `${place} ${word}`));
}
