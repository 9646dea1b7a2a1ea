import type { Command, Option } from "commander";

/** What can be written after a command: its place is the words that lead to it, like "sessions export". */
export interface CommandWords {
  readonly place: string;
  readonly commands: readonly Described[];
  readonly options: readonly OptionWords[];
  /** Words that its next argument may be. */
  readonly choices: readonly string[];
}

interface Described {
  readonly word: string;
  readonly about: string;
}

interface OptionWords {
  /** All its spellings: -o, --output. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** All commands of a program with what can be written after them, the program itself first. */
export function commandWords(command: Command, place = ""): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: CommandWords = {
    place,
    commands: commands.map((sub) => ({ word: sub.name(), about: sub.summary() })),
    options: help.visibleOptions(command).map(optionWords),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
  const named = commands.filter((sub) => sub.name() !== "help");
  return [own, ...named.flatMap((sub) => commandWords(sub, `${place} ${sub.name()}`.trim()))];
}

function optionWords({ short, long, description, required, optional, argChoices = [] }: Option): OptionWords {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    about: description,
    takesValue: required || optional,
    choices: argChoices,
  };
}
