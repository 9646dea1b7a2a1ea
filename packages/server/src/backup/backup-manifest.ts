import { z } from "zod";

/** The paths of the manifest and of the data folder's files in a backup. */
export const MANIFEST = "manifest.json";
export const DATA = "data/";

/** The manifest at the end of a backup: a backup without it is incomplete. */
export const backupManifest = z.object({
  format: z.literal("parley-backup-1"),
  parley: z.string(),
  madeAt: z.iso.datetime(),
  /** Where the journal is: in the backup, or in Postgres, which is backed up separately. */
  journal: z.enum(["sqlite", "postgres", "none"]),
  files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof backupManifest>;
