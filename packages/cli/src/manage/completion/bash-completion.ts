import type { CommandWords } from "./command-words.ts";
import { quoted, steps } from "./shell-words.ts";

/** A bash script that completes commands, options and their values; where a file is meant, bash's own completion goes on. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return `# bash completion for parley: source it, or put it into /etc/bash_completion.d
_parley() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${steps(commands).map(quoted).join(" | ")})
        place="\${place:+$place }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place $previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  local words="" options=""
  case "$place" in
${commands.map(wordCase).join("\n")}
  esac
  [[ $current == -* ]] && words="$options"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _parley parley
`;
}

function valueCases({ place, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices }) => {
      const pattern = flags.map((flag) => quoted(`${place} ${flag}`)).join(" | ");
      return `    ${pattern}) COMPREPLY=($(compgen -W ${quoted(choices.join(" "))} -- "$current")); return ;;`;
    });
}

function wordCase({ place, commands, choices, options }: CommandWords): string {
  const words = [...commands.map(({ word }) => word), ...choices].join(" ");
  const flags = options.flatMap((option) => option.flags).join(" ");
  return `    ${quoted(place)}) words=${quoted(words)}; options=${quoted(flags)} ;;`;
}
