import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CairnError } from '@cairn/errors';

export const manifestName = 'cairn-backup.json';
const manifestVersion = 1;

/** Manifest of a backup: SHA-256 and length of each file. */
export interface Manifest {
  readonly version: typeof manifestVersion;
  readonly createdAt: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Describes the files below a directory. */
export async function createManifest(directory: string): Promise<Manifest> {
  return { version: manifestVersion, createdAt: new Date().toISOString(), files: await filesOf(directory) };
}

/** Reads the manifest of a backup. @throws BACKUP_INVALID */
export async function readManifest(from: string): Promise<Manifest> {
  const manifest = await parsedManifest(from);
  const { version, createdAt, files } = (manifest ?? {}) as { readonly [name in keyof Manifest]?: unknown };
  if (Number.isSafeInteger(version) && version !== manifestVersion)
    throw new CairnError('BACKUP_INVALID', `${from} is a backup of version ${String(version)}.`, {
      hint: `This program restores version ${manifestVersion}. Use the version of cairn that created the backup.`,
    });
  if (version !== manifestVersion || typeof createdAt !== 'string' || !areFiles(files)) throw noBackup(from);
  return { version, createdAt, files };
}

async function parsedManifest(from: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(from, manifestName), 'utf8'));
  } catch (cause) {
    throw noBackup(from, cause);
  }
}

function noBackup(from: string, cause?: unknown): CairnError {
  return new CairnError('BACKUP_INVALID', `${from} is not a backup: it has no readable ${manifestName}.`, {
    hint: 'Name a directory that `cairn backup` created.',
    cause,
  });
}

/** A backup has at least one store. */
function areFiles(value: unknown): value is Manifest['files'] {
  if (typeof value !== 'object' || value === null) return false;
  const files: unknown[] = Object.values(value);
  return files.length > 0 && files.every((file) => typeof file === 'object' && file !== null);
}

/** Length and hash of each file below a directory. Lock files belong to processes and are not copied. */
export async function filesOf(directory: string): Promise<Manifest['files']> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== 'lock.mdb' && entry.name !== manifestName)
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  for (const path of paths) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    files[path.slice(directory.length + 1)] = { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
  }
  return files;
}
