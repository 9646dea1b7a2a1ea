import { connected, type ServerOptions } from "../../server-address.ts";
import { tell } from "../../terminal/print.ts";

/** Removes, restores, enables or disables an agent, and says so. */
export async function changeAgent(
  name: string,
  change: "remove" | "restore" | "enable" | "disable",
  options: ServerOptions,
): Promise<void> {
  const client = await connected(options);
  switch (change) {
    case "remove":
      await client.removeAgent(name);
      return tell(`${name} is removed: parley agents restore ${name} takes that back`);
    case "restore":
      await client.restoreAgent(name);
      return tell(`${name} is back`);
    case "enable":
    case "disable":
      await client.changeAgent(name, { enabled: change === "enable" });
      return tell(`${name} is ${change}d`);
  }
}
