import type { Command } from "commander";
import { print } from "../../terminal/print.ts";
import { bashCompletion } from "./bash-completion.ts";
import { commandWords } from "./command-words.ts";
import { fishCompletion } from "./fish-completion.ts";
import { zshCompletion } from "./zsh-completion.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Prints the script of a shell, made from the program itself. */
export function printCompletion(shell: keyof typeof SCRIPTS, program: Command): Promise<void> {
  return print(SCRIPTS[shell](commandWords(program)));
}
