#!/usr/bin/env node
// The `parley` command of a clone, for whoever links it with `npm link`; paths are meant from where the user is.
process.env.INIT_CWD = process.cwd();
process.argv.splice(2, 0, "parley");
await import("./launch.mjs");
