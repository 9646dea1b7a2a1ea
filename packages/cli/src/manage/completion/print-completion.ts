import type { Command } from "commander";
import { printText } from "../../terminal/print.ts";
import { bashCompletion } from "./bash-completion.ts";
import { type CommandWords, commandWords } from "./command-words.ts";
import { quoted, steps } from "./shell-words.ts";
import { zshCompletion } from "./zsh-completion.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Prints the script of a shell, made from the program itself. */
export function printCompletion(shell: keyof typeof SCRIPTS, program: Command): Promise<void> {
  return printText(SCRIPTS[shell](commandWords(program)));
}

/** A fish script that completes commands, options and their values, with what they are about. */
function fishCompletion(commands: readonly CommandWords[]): string {
  return `# fish completion for parley: put it into ~/.config/fish/completions/parley.fish
function __parley_at
  set -l place ""
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$place $word"
      case ${steps(commands).map(quoted).join(" ")}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ place, commands, choices, options }: CommandWords): string[] {
  const at = `complete -c parley -n ${quoted(`__parley_at "${place}"`)}`;
  return [
    ...commands.map(({ word, about }) => `${at} -f -a ${quoted(word)} -d ${quoted(about)}`),
    ...choices.map((choice) => `${at} -f -a ${quoted(choice)}`),
    ...options.map(({ flags, about, takesValue, choices: values }) => {
      const spelled = flags.map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const value = takesValue ? [values.length > 0 ? `-x -a ${quoted(values.join(" "))}` : "-r"] : [];
      return [at, ...spelled, ...value, `-d ${quoted(about)}`].join(" ");
    }),
  ];
}
