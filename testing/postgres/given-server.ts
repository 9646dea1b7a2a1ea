import { Client, DatabaseError } from "pg";

const patience = 5_000;

/** The Postgres that `DATABASE_URL` names cannot be used; the message never holds the URL, which may hold a password. */
class GivenServerError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "GivenServerError";
  }
}

/** Connects once to the server that `DATABASE_URL` names, so that one sentence tells of its failure and not every test. */
export async function requireGivenServer(url: string): Promise<void> {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw new GivenServerError(
      "DATABASE_URL is not the URL of a Postgres, such as postgres://user:password@host:5432/database.",
    );
  }
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patience });
  // A broken connection is reported twice: here, and by the rejection that we handle.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new GivenServerError(
      `DATABASE_URL names a Postgres at ${client.host}:${client.port} that cannot be used (${reasonOf(error)}): start it or correct the variable, or unset it and the tests start a Postgres of their own.`,
    );
  }
  await client.end();
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // The server's own words are plain, its codes are not; of two addresses that both refuse there is only a code.
  return error instanceof DatabaseError ? message : (code ?? message);
}
