import type { Command, Option } from "commander";
import { printText } from "../terminal/print.ts";

/** What can follow a command; its path is the words that lead to it, like "sessions export". */
interface CommandWords {
  readonly path: string;
  readonly commands: readonly { readonly word: string; readonly about: string }[];
  readonly options: readonly OptionWords[];
  /** The values that its next argument may have. */
  readonly choices: readonly string[];
}

interface OptionWords {
  /** All its spellings: -o, --output. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints a completion script for a shell, generated from the program's commands. */
export function printCompletion(shell: keyof typeof SCRIPTS, program: Command): Promise<void> {
  return printText(SCRIPTS[shell](commandWords(program, "")));
}

/** A command and all below it, with what can follow each. */
function commandWords(command: Command, path: string): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: CommandWords = {
    path,
    commands: commands.map((sub) => ({ word: sub.name(), about: help.subcommandDescription(sub) })),
    options: help.visibleOptions(command).map(optionWords),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
  const named = commands.filter((sub) => sub.name() !== "help");
  return [own, ...named.flatMap((sub) => commandWords(sub, `${path} ${sub.name()}`.trim()))];
}

function optionWords({ short, long, description, required, optional, argChoices = [] }: Option): OptionWords {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    about: description,
    takesValue: required || optional,
    choices: argChoices,
  };
}

/** A word in single quotes, as bash, zsh and fish all read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Every step from a command to one below it, as `path word`. */
function steps(commands: readonly CommandWords[]): string[] {
  return commands.flatMap(({ path, commands: subs }) => subs.map(({ word }) => quoted(`${path} ${word}`)));
}

/** The options that take a value, each with the shell pattern of its flags. */
function valueOptions({ path, options }: CommandWords, separator: string) {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices }) => ({
      pattern: flags.map((flag) => quoted(`${path} ${flag}`)).join(separator),
      choices,
    }));
}

function bashScript(commands: readonly CommandWords[]): string {
  const values = commands.flatMap((each) =>
    valueOptions(each, " | ").map(
      ({ pattern, choices }) =>
        `    ${pattern}) COMPREPLY=($(compgen -W ${quoted(choices.join(" "))} -- "$current")); return ;;`,
    ),
  );
  const words = commands.map(({ path, commands: subs, choices, options }) => {
    const next = [...subs.map(({ word }) => word), ...choices].join(" ");
    const flags = options.flatMap((option) => option.flags).join(" ");
    return `    ${quoted(path)}) words=${quoted(next)}; options=${quoted(flags)} ;;`;
  });
  return `# bash completion for parley: source it, or put it into /etc/bash_completion.d
_parley() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${steps(commands).join(" | ")})
        place="\${place:+$place }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place $previous" in
${values.join("\n")}
  esac
  local words="" options=""
  case "$place" in
${words.join("\n")}
  esac
  [[ $current == -* ]] && words="$options"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _parley parley
`;
}

function zshScript(commands: readonly CommandWords[]): string {
  const values = commands.flatMap((each) =>
    valueOptions(each, "|").map(({ pattern, choices }) => {
      const offered = choices.length > 0 ? `compadd -- ${choices.map(quoted).join(" ")}` : "_files";
      return `    (${pattern}) ${offered}; return ;;`;
    }),
  );
  const words = commands.map(({ path, commands: subs, choices, options }) => {
    const next = [...subs.map(({ word, about }) => `${word}:${about}`), ...choices].map(quoted).join(" ");
    const described = options.flatMap(({ flags, about }) => flags.map((flag) => quoted(`${flag}:${about}`)));
    return `    (${quoted(path)}) if [[ \${words[CURRENT]} == -* ]]; then found=(${described.join(" ")}); else found=(${next}); fi ;;`;
  });
  return `#compdef parley
# zsh completion for parley: source it after compinit, or save it as _parley in a folder of $fpath
_parley() {
  local place="" i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
      (${steps(commands).join("|")})
        place="\${place:+$place }\${words[i]}" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$place" in
${words.join("\n")}
  esac
  if (( \${#found} )); then
    _describe 'parley' found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == "_parley" ]]; then
  _parley "$@"
else
  compdef _parley parley
fi
`;
}

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ path, commands: subs, choices, options }) => {
    const at = `complete -c parley -n ${quoted(`__parley_at "${path}"`)}`;
    return [
      ...subs.map(({ word, about }) => `${at} -f -a ${quoted(word)} -d ${quoted(about)}`),
      ...choices.map((choice) => `${at} -f -a ${quoted(choice)}`),
      ...options.map(({ flags, about, takesValue, choices: values }) => {
        const spelled = flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = takesValue ? [values.length > 0 ? `-x -a ${quoted(values.join(" "))}` : "-r"] : [];
        return [at, ...spelled, ...value, `-d ${quoted(about)}`].join(" ");
      }),
    ];
  });
  return `# fish completion for parley: save it as ~/.config/fish/completions/parley.fish
function __parley_at
  set -l place ""
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$place $word"
      case ${steps(commands).join(" ")}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join("\n")}
`;
}
