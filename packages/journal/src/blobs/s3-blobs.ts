import { AwsClient } from "aws4fetch";
import { StorageUnavailableError } from "../errors.ts";
import { type BlobReference, CheckedBlobs } from "./blob-store.ts";

/** An S3-compatible store, a bucket there, and the key that opens it. */
export interface S3Options {
  /** Where the store is, such as https://s3.eu-central-1.amazonaws.com or http://minio:9000. */
  readonly endpoint: string;
  readonly bucket: string;
  /** What all names begin with. */
  readonly prefix?: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const ANSWER_WITHIN_MS = 60_000;

/** Blobs as objects of a bucket, named by their hash. */
export class S3Blobs extends CheckedBlobs {
  readonly #options: S3Options;
  readonly #client: AwsClient;

  constructor(options: S3Options) {
    super();
    const { accessKeyId, secretAccessKey, region } = options;
    this.#options = options;
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 3 });
  }

  protected async store(content: Uint8Array, { hash, mediaType }: BlobReference): Promise<void> {
    const headers = { "content-type": mediaType };
    // The store guarantees a whole object or none, and that it is durable once it answers.
    await this.#ask(hash, { method: "PUT", headers, body: content.slice() });
  }

  protected async find(hash: string): Promise<Uint8Array | undefined> {
    const response = await this.#ask(hash, { method: "GET" });
    return response && new Uint8Array(await response.arrayBuffer());
  }

  protected async remove(hash: string): Promise<void> {
    await this.#ask(hash, { method: "DELETE" });
  }

  get #place(): string {
    return `The bucket ${this.#options.bucket} at ${this.#options.endpoint}`;
  }

  /** Undefined: there is no such object. */
  async #ask(hash: string, init: RequestInit): Promise<Response | undefined> {
    const { endpoint, bucket, prefix = "" } = this.#options;
    const url = `${endpoint.replace(/(?<!\/)\/+$/, "")}/${bucket}/${prefix}${hash}`;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await this.#client
      .fetch(url, { ...init, signal, redirect: "error" })
      .catch((error: unknown) => {
        throw new StorageUnavailableError(this.#place, error);
      });
    if (response.ok) return response;
    const said = await response.text();
    if (response.status === 404 && !said.includes("NoSuchBucket")) return undefined;
    throw new StorageUnavailableError(this.#place, new Error(`it answers ${response.status}`));
  }
}
