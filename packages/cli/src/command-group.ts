import { Command } from "commander";

/** A group of commands that runs `list` by default, and rejects unknown command names. */
export function commandGroup(name: string, list: Command): Command {
  const group = new Command(name).addCommand(list.allowExcessArguments(), { isDefault: true });
  return group.hook("preAction", async (_, action) => {
    const [word] = action.args;
    if (action !== list || word === undefined) return;
    const names = group.commands.map((each) => each.name());
    if (group.args[0] === "list")
      action.error(`error: too many arguments for 'list'. Expected none but got: ${action.args.join(" ")}.`);
    if (names.includes(word))
      group.error(`error: '${word}' must come before its options, as in: parley ${name} ${word} …`);
    const { closestName } = await import("@parley/agent/closest-name");
    const meant = closestName(word, names);
    const advice = meant === undefined ? `use one of ${names.join(", ")}` : `did you mean ${meant}?`;
    group.error(`error: unknown command 'parley ${name} ${word}': ${advice}`);
  });
}
