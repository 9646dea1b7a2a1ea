import { runPlatform } from "../run-platform.ts";

/** The platform as a program, with a web client that is built into the folder of the first argument. */
await runPlatform(process.env, [], { dist: process.argv[2] ?? "" });
