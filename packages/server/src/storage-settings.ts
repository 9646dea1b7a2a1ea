import { resolve } from "node:path";
import { type BlobStore, FileBlobs, S3Blobs } from "@parley/journal";
import { PACKED_AFTER_DAYS, type Retention } from "@parley/sessions";
import { numberSetting } from "./number-setting.ts";
import { StartError } from "./start-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Archives, retention, and notifications between nodes. */
export interface StorageSettings {
  /** Where archives are stored; by default with the other blobs. */
  readonly archives: BlobStore | undefined;
  readonly retention: Retention;
  /** A NATS server for hints between nodes; by default the database. */
  readonly natsUrl: URL | undefined;
}

/** Reads the settings; throws a `StartError`. */
export function storageSettings(environment: Environment): StorageSettings {
  const after = environment.PARLEY_ARCHIVE_AFTER;
  const last = environment.PARLEY_DELETE_AFTER;
  return {
    archives: archives(environment),
    retention: {
      packAfterDays: after ? days("PARLEY_ARCHIVE_AFTER", after) : PACKED_AFTER_DAYS,
      deleteAfterDays: last ? days("PARLEY_DELETE_AFTER", last) : undefined,
    },
    natsUrl: natsUrl(environment.PARLEY_NATS),
  };
}

function archives(environment: Environment): BlobStore | undefined {
  const place = environment.PARLEY_ARCHIVE;
  if (!place) return undefined;
  if (!place.startsWith("s3:")) return new FileBlobs(resolve(place));
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{2,62})(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined)
    throw new StartError(
      `PARLEY_ARCHIVE must be a folder or s3://bucket/prefix, not ${JSON.stringify(place)}`,
    );
  const accessKeyId = environment.AWS_ACCESS_KEY_ID;
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY;
  if (!accessKeyId || !secretAccessKey)
    throw new StartError(`For ${place} set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  const region = environment.AWS_REGION || "us-east-1";
  const endpoint = environment.PARLEY_S3_ENDPOINT || `https://s3.${region}.amazonaws.com`;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new StartError("PARLEY_S3_ENDPOINT must be a URL such as https://s3.example");
  const below = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return new S3Blobs({ endpoint, bucket, prefix: below, region, accessKeyId, secretAccessKey });
}

function days(setting: string, text: string): number {
  return numberSetting(setting, text, { must: "a number of days from 1 on", least: 1, most: 99_999 });
}

// Not quoted: the URL may contain a password.
function natsUrl(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url?.protocol === "nats:" && url.host !== "") return url;
  throw new StartError("PARLEY_NATS must be a NATS URL, such as nats://host:4222");
}
