import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CID } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { varint } from 'multiformats';
import { rawCode, snapshotCid } from './manifest.ts';
import { SnapshotError } from './snapshot-error.ts';

/** Bytes of the header of a CAR of version 1 with one root: its length, and a map in dag-cbor. */
const headerBytes = carHeader(snapshotCid(rawCode, new Uint8Array(0))).length;

/**
 * Writes a CAR (https://ipld.io/specs/transport/car/carv1/) whose root is its last block. The file gets its name when it is
 * complete and durable.
 */
export class CarFile {
  readonly #path: string;
  readonly #directory: string;
  readonly #partial: string;
  readonly #file: FileHandle;
  /** Bytes of the file. */
  bytes = headerBytes;

  private constructor(path: string, directory: string, partial: string, file: FileHandle) {
    this.#path = path;
    this.#directory = directory;
    this.#partial = partial;
    this.#file = file;
  }

  /** Begins a file in a directory beside it, and removes what a killed process left there. @throws SNAPSHOT_WRITE_FAILED */
  static async create(path: string): Promise<CarFile> {
    return await writing(path, async () => {
      const directory = join(dirname(path), `.${basename(path)}.partial`);
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true });
      // A random name: another process that writes the same snapshot must not complete this file.
      const partial = join(directory, randomUUID());
      return new CarFile(path, directory, partial, await open(partial, 'wx'));
    });
  }

  /** Directory for temporary files; removed with the unfinished file. */
  get directory(): string {
    return this.#directory;
  }

  /** Appends a block. @throws SNAPSHOT_WRITE_FAILED */
  async append(cid: CID, bytes: Uint8Array): Promise<void> {
    await writing(this.#path, async () => {
      const length = cid.bytes.length + bytes.length;
      const prefix = varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)));
      const frame = [prefix, cid.bytes, bytes].map((part) => Buffer.from(part.buffer, part.byteOffset, part.length));
      const whole = Buffer.concat(frame);
      await writeAll(this.#file, whole, this.bytes);
      this.bytes += whole.length;
    });
  }

  /** Writes the header with the root, and gives the file its name. @throws SNAPSHOT_EXISTS, SNAPSHOT_WRITE_FAILED */
  async finish(root: CID): Promise<void> {
    await writing(this.#path, async () => {
      await writeAll(this.#file, carHeader(root), 0);
      await this.#file.sync();
      await this.#file.close();
      await this.#publish();
      await rm(this.#directory, { recursive: true, force: true });
      await syncDirectory(dirname(this.#path));
    });
  }

  /** Unlike a rename, a link fails if another process created the file in the meantime. */
  async #publish(): Promise<void> {
    try {
      await link(this.#partial, this.#path);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') throw existsError(this.#path);
      // Some file systems have no links.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
      await rename(this.#partial, this.#path);
    }
  }

  /** Removes the unfinished file. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#directory, { recursive: true, force: true }).catch(() => {});
  }
}

export function existsError(path: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_EXISTS', `${path} exists already.`);
}

/** Resolves when the entries of a directory are durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof SnapshotError ? error : writeError(path, error);
  }
}

export function writeError(path: string, error: unknown): SnapshotError {
  const reason = error instanceof Error ? error.message : String(error);
  return new SnapshotError('SNAPSHOT_WRITE_FAILED', `The snapshot ${path} cannot be written: ${reason}.`, error);
}

/** Reports whether an operation of the file system failed. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

const codeOf = (error: unknown) => (error as { readonly code?: unknown } | undefined)?.code;

function carHeader(root: CID): Uint8Array {
  const header = dagCbor.encode({ roots: [root], version: 1 });
  return Uint8Array.from([...varint.encodeTo(header.length, new Uint8Array(1)), ...header]);
}
