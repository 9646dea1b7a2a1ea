/** Which of our packages each package may import; a package that is not listed here may not exist. */
export const packageArrows: Readonly<Record<string, readonly string[]>> = {
  journal: [],
  a2a: ["journal"],
  agent: ["a2a", "journal"],
  registry: ["a2a", "journal"],
  supervisor: ["agent", "registry", "a2a", "journal"],
  sessions: ["registry", "a2a", "journal"],
  client: [],
  web: ["client"],
  server: ["supervisor", "sessions", "registry", "agent", "a2a", "journal", "client", "web"],
  cli: ["server", "agent", "a2a", "client"],
};
