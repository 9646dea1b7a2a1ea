import { z } from "zod";

/** Where the manifest is in a backup, and where the data folder's files are. */
export const MANIFEST = "manifest.json";
export const DATA = "data/";

/** What a backup says of itself, at its end: a backup without it is not whole. */
export const backupManifest = z.object({
  format: z.literal("parley-backup-1"),
  parley: z.string(),
  madeAt: z.iso.datetime(),
  /** Where the journal is: in the backup, or in a Postgres that is backed up by its own means. */
  journal: z.enum(["sqlite", "postgres", "none"]),
  files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof backupManifest>;
