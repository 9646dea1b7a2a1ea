// What restoring a session cannot be quicker than: the same events as rows of one SQLite table, an event a row, read
// after an index and written out as one JSON answer by node:http, with nothing else. Takes the file of events.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const [events = "", file = ""] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(
  "PRAGMA journal_mode = WAL; CREATE TABLE events (place INTEGER PRIMARY KEY, payload TEXT NOT NULL)",
);
const insert = database.prepare("INSERT INTO events (payload) VALUES (?)");
database.exec("BEGIN");
for (const event of JSON.parse(readFileSync(events, "utf8"))) insert.run(JSON.stringify(event));
database.exec("COMMIT");
const select = database.prepare("SELECT payload FROM events WHERE place > ? ORDER BY place");

const server = createServer((request, response) => {
  const after = Number(new URL(request.url ?? "/", "http://localhost").searchParams.get("events_since"));
  const rows = select.all(after).map(({ payload }) => payload);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(`[${rows.join(",")}]`);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);
