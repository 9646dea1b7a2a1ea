const settingsForTests: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "32MB",
  // Durability is under test: never trade it for speed here.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
};

/** Renders the lines for postgresql.conf: what every test server has, then the given settings over it. */
export function postgresConfiguration(settings: Readonly<Record<string, string>>): string {
  return Object.entries({ ...settingsForTests, ...settings })
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join("");
}
