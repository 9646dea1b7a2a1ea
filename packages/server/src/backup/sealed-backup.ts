import { open } from "node:fs/promises";
import { BackupError } from "./backup-errors.ts";
import { TarError } from "./tar-reader.ts";

const BEGINNING = "age-encryption.org/v1\n";

/** How a backup is encrypted: for age public keys, or by a passphrase. */
export interface BackupSeal {
  readonly recipients?: readonly string[];
  readonly passphrase?: string;
}

/** What decrypts a backup. */
export interface BackupKeys {
  /** age secret keys. */
  readonly identities?: readonly string[];
  readonly passphrase?: string;
}

/** Encrypts a stream of bytes in the age format. */
export async function* sealed(
  bytes: AsyncIterable<Uint8Array>,
  { recipients = [], passphrase }: BackupSeal,
): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  try {
    for (const recipient of recipients) encrypter.addRecipient(recipient);
    if (passphrase !== undefined) encrypter.setPassphrase(passphrase);
  } catch {
    throw new BackupError(
      "A recipient must be a public key of age, such as age1…, and a passphrase stands alone: correct it",
    );
  }
  yield* await encrypter.encrypt(ReadableStream.from(bytes));
}

/** Whether a file is encrypted in the age format. */
export async function isSealed(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === BEGINNING;
  } finally {
    await handle.close();
  }
}

/** Decrypts a stream of bytes; throws `BackupError` if the keys do not match, `TarError` if the bytes were tampered with. */
export async function* unsealed(
  bytes: AsyncIterable<Uint8Array>,
  { identities = [], passphrase }: BackupKeys,
): AsyncGenerator<Uint8Array> {
  if (identities.length === 0 && passphrase === undefined)
    throw new BackupError(
      "The backup is encrypted: name what opens it with --identity-file or --passphrase-file",
    );
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  let plain: ReadableStream<Uint8Array>;
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
    if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
    plain = await decrypter.decrypt(ReadableStream.from(bytes));
  } catch {
    throw new BackupError("The backup is encrypted for another key or passphrase: name that one");
  }
  try {
    yield* plain;
  } catch {
    throw new TarError("it was changed after it was encrypted, or is cut short");
  }
}
