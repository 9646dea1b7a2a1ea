import { expect, it } from "vitest";
import { StartError } from "./start-error.ts";
import { storageSettings } from "./storage-settings.ts";

const KEY = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "very-secret" };

it("without settings, archives stay with the other blobs, sessions are kept, and change hints use the database (+12)", () => {
  expect(storageSettings({})).toEqual({
    archives: undefined,
    retention: { packAfterDays: 30, deleteAfterDays: undefined },
    natsUrl: undefined,
  });
});

it("storage settings accept a folder or a bucket, days, and a NATS server", () => {
  const { archives, retention, natsUrl } = storageSettings({
    ...{ ...KEY, PARLEY_ARCHIVE: "s3://cold/parley", PARLEY_S3_ENDPOINT: "http://minio:9000" },
    ...{ PARLEY_ARCHIVE_AFTER: "7", PARLEY_DELETE_AFTER: "365", PARLEY_NATS: "nats://me:secret@host:4222" },
  });
  expect([archives?.constructor.name, retention, natsUrl?.host]).toEqual([
    "S3Blobs",
    { packAfterDays: 7, deleteAfterDays: 365 },
    "host:4222",
  ]);
  expect(storageSettings({ PARLEY_ARCHIVE: "cold" }).archives?.constructor.name).toBe("FileBlobs");
});

it.each([
  [{ PARLEY_ARCHIVE: "s3://" }, "PARLEY_ARCHIVE must be a folder or s3://bucket/prefix"],
  [{ PARLEY_ARCHIVE: "s3://cold" }, "AWS_ACCESS_KEY_ID"],
  [{ ...KEY, PARLEY_ARCHIVE: "s3://cold", PARLEY_S3_ENDPOINT: "minio" }, "PARLEY_S3_ENDPOINT"],
  [{ PARLEY_ARCHIVE_AFTER: "soon" }, "PARLEY_ARCHIVE_AFTER must be a number of days"],
  [{ PARLEY_DELETE_AFTER: "0" }, "PARLEY_DELETE_AFTER must be a number of days"],
  [{ PARLEY_NATS: "http://me:very-secret@host" }, "PARLEY_NATS must be a NATS URL"],
])("the invalid storage setting %j is reported without secrets", (environment, said) => {
  expect(() => storageSettings(environment)).toThrow(StartError);
  expect(() => storageSettings(environment)).toThrow(said);
  expect(() => storageSettings(environment)).not.toThrow("very-secret");
});
