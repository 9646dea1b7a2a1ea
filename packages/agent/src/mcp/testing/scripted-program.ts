import { closeSync, writeFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { scriptedServer } from "./scripted-tools.ts";

const [mode = "serve", argument = ""] = process.argv.slice(2);

switch (mode) {
  case "serve":
    serveStdio(() => scriptedServer(argument));
    break;
  case "banner":
    process.stdout.write("Welcome to the scripted server!\n");
    serveStdio(() => scriptedServer(argument));
    break;
  case "chatty":
    for (let line = 1; line <= 10; line++) process.stdout.write(`{"level":"info","line":${line}}\n`);
    serveStdio(() => scriptedServer(argument));
    break;
  case "modern":
    serveStdio(() => scriptedServer(argument), { legacy: "reject" });
    break;
  case "garbage":
    process.stdout.write("this is no MCP server\n");
    setInterval(() => process.stdout.write("still none\n"), 50);
    break;
  case "endless":
    endless();
    break;
  case "silent":
    process.stdin.resume();
    break;
  case "stubborn":
    // Holds on to life, whatever it is asked.
    process.on("SIGTERM", () => {});
    // Whoever is killed with it in hand leaves it behind, but not for ever.
    setTimeout(() => process.exit(1), 120_000);
    writeFileSync(argument, String(process.pid));
    serveStdio(() => scriptedServer(""));
    break;
  case "die":
    process.stderr.write(`${argument}\n`, () => process.exit(7));
    break;
  case "deaf":
    closeSync(0);
    process.stderr.write("deaf\n");
    setTimeout(() => process.stderr.write(`${argument}\n`, () => process.exit(7)), 300);
    break;
  default:
    throw new Error(`There is no mode ${mode}.`);
}

// Each piece when the one before has left: many at once are too much for a pipe that is read slowly.
function endless(): void {
  process.stdout.write("x".repeat(1_000_000), endless);
}
