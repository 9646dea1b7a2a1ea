// The public server, from our own packages: nothing is fetched when an agent starts. It reads its folders from argv.
await import(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
