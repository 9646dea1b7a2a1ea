import { Command, CommanderError } from "commander";
import { describeError, EXIT } from "./command-error.ts";
import { doctorCommands } from "./doctor/doctor-commands.ts";
import { hostingCommands } from "./hosting/hosting-commands.ts";
import { manageCommands } from "./manage/manage-commands.ts";
import { recordedCommands } from "./recorded/recorded-commands.ts";
import { keyOption } from "./server-address.ts";
import { talkCommands } from "./talk/talk-commands.ts";

/** Runs one command line and returns its exit code; errors are printed to standard error. */
export async function runParley(args: readonly string[]): Promise<number> {
  const parley = new Command("parley")
    .description("Talk to one supervisor; it plans, delegates to any A2A agent, and loses nothing.")
    .version("0.1.0", "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .hook("preAction", (_, command) => {
      const { key } = command.opts<{ key?: unknown }>();
      if (callsServer(command) && typeof key === "string") process.env.PARLEY_KEY = key;
    })
    .showHelpAfterError("(use parley --help for a list of commands)")
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .exitOverride();
  const commands = [
    ...talkCommands(),
    ...hostingCommands(),
    ...manageCommands(),
    ...doctorCommands(),
    ...recordedCommands(),
  ];
  for (const command of commands) parley.addCommand(configured(command));
  try {
    const [first, word] = args;
    const isKnown = word === undefined || parley.commands.some((each) => each.name() === word);
    if (first === "help" && !isKnown && word !== "help") parley.error(`error: unknown command '${word}'`);
    await parley.parseAsync([...args], { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { message, exitCode } = describeError(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}

function callsServer({ options }: Command): boolean {
  return options.some(({ long }) => long === "--server");
}

function configured(command: Command): Command {
  for (const sub of command.commands) configured(sub);
  if (callsServer(command)) command.addOption(keyOption());
  return command.exitOverride().showHelpAfterError("(use --help for usage)");
}
