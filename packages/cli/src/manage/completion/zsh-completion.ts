import type { CommandWords } from "./command-words.ts";
import { quoted, steps } from "./shell-words.ts";

/** A zsh script that completes commands, options and their values, with what they are about; else files. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  return `#compdef parley
# zsh completion for parley: source it after compinit, or put it as _parley into a folder of $fpath
_parley() {
  local place="" i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
      (${steps(commands).map(quoted).join("|")})
        place="\${place:+$place }\${words[i]}" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$place" in
${commands.map(wordCase).join("\n")}
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

function valueCases({ place, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices }) => {
      const pattern = flags.map((flag) => quoted(`${place} ${flag}`)).join("|");
      const offered = choices.length > 0 ? `compadd -- ${choices.map(quoted).join(" ")}` : "_files";
      return `    (${pattern}) ${offered}; return ;;`;
    });
}

function wordCase({ place, commands, choices, options }: CommandWords): string {
  const words = [...commands.map(({ word, about }) => `${word}:${about}`), ...choices].map(quoted).join(" ");
  const flags = options
    .flatMap((option) => option.flags.map((flag) => `${flag}:${option.about}`))
    .map(quoted)
    .join(" ");
  return `    (${quoted(place)}) if [[ \${words[CURRENT]} == -* ]]; then found=(${flags}); else found=(${words}); fi ;;`;
}
