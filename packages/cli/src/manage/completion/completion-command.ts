import { Argument, Command } from "commander";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** `parley completion`: a script that makes a shell complete all commands. */
export function completionCommand(): Command {
  return new Command("completion")
    .summary("a script with which your shell completes parley")
    .description("Prints a script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "which one").choices(SHELLS))
    .addHelpText(
      "after",
      `
Examples:
  source <(parley completion bash)           in ~/.bashrc
  source <(parley completion zsh)            in ~/.zshrc, after compinit
  parley completion fish > ~/.config/fish/completions/parley.fish`,
    )
    .action(async (shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      const { printCompletion } = await import("./print-completion.ts");
      await printCompletion(shell, command.parent ?? command);
    });
}
