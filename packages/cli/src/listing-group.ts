import { Command } from "commander";

/** A group of commands that lists when it is named alone; a word that is none of its commands is said to be that. */
export function listingGroup(name: string, list: Command): Command {
  const group = new Command(name).addCommand(list.allowExcessArguments(), { isDefault: true });
  return group.hook("preAction", async (_, action) => {
    const [word] = action.args;
    if (action !== list || word === undefined) return;
    const names = group.commands.map((each) => each.name());
    if (group.args[0] === "list")
      action.error(`error: too many arguments for 'list'. Expected none but got: ${action.args.join(" ")}.`);
    if (names.includes(word))
      group.error(`error: '${word}' comes before its options, as in: parley ${name} ${word} …`);
    const { closestName } = await import("@parley/agent/closest-name");
    const meant = closestName(word, names);
    const advice = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${meant}?`;
    group.error(`error: 'parley ${name}' has no command '${word}': ${advice}`);
  });
}
