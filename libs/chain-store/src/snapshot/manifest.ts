import type { Hex } from '@cairn/block-model';
import { CID, digest } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { invalidSnapshot, SnapshotError } from './snapshot-error.ts';

export const snapshotFormat = 'cairn-chain-snapshot';
export const snapshotVersion = 1;

export const snapshotLimits = {
  /** Uncompressed bytes after which a chunk is closed. Kubo and other IPFS nodes transfer blocks of up to 2 MiB. */
  chunkBytes: 1024 * 1024,
  /** Uncompressed bytes of a chunk. A block with its receipts is one record; a chunk contains whole records. */
  chunkBytesMax: 128 * 1024 * 1024,
  /** Links in one index block. */
  linksMax: 8192,
  /** Blocks before the head whose states the snapshot contains. Deeper reorgs are refused by every store. */
  recentBlocksMax: 1024,
} as const;

/** Parts of a snapshot in the order of the file. Each consists of chunks: records as concatenated RLP, gzipped. */
export const sections = ['blocks', 'codes', 'state', 'recent'] as const;
export type Section = (typeof sections)[number];

/** Root block of a snapshot. */
export interface Manifest {
  readonly format: typeof snapshotFormat;
  readonly version: typeof snapshotVersion;
  /** Name of the network where the snapshot was written. */
  readonly network: string;
  readonly chainId: string;
  readonly head: { readonly hash: Hex; readonly number: number };
  /** Height of the oldest state. */
  readonly base: number;
  /** Chunks of each section. */
  readonly sections: Readonly<Record<Section, number>>;
  /** Lists of the CIDs of all chunks in order. */
  readonly index: readonly CID[];
}

/** CID of a chunk (`raw`) or of the manifest and its index (`dag-cbor`), with SHA-256. */
export function snapshotCid(codec: typeof rawCode | typeof dagCbor.code, bytes: Uint8Array): CID {
  return CID.createV1(codec, digest('sha2-256', bytes));
}

export const rawCode = 0x55;
/** Bytes of the CIDs of {@link snapshotCid}. */
export const cidBytes = 36;

const hash = /^0x[0-9a-f]{64}$/;

/** Reads the root block. @throws SNAPSHOT_INVALID, SNAPSHOT_VERSION_UNSUPPORTED */
export function decodeManifest(file: string, bytes: Uint8Array): Manifest {
  let value: Partial<Manifest>;
  try {
    value = Object(dagCbor.decode(bytes));
  } catch (error) {
    throw invalidSnapshot(file, 'its root is not dag-cbor', error);
  }
  const { format, version, network, chainId, head, base, sections: counts, index } = value;
  if (format !== snapshotFormat) throw invalidSnapshot(file, 'it is a CAR, but not of a chain');
  if (version !== snapshotVersion)
    throw new SnapshotError(
      'SNAPSHOT_VERSION_UNSUPPORTED',
      `The snapshot ${file} has version ${String(version)}; this version of Cairn reads ${snapshotVersion}.`,
    );
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  const isComplete =
    typeof network === 'string' &&
    typeof chainId === 'string' &&
    hash.test(String(head?.hash)) &&
    isCount(head?.number) &&
    isCount(base) &&
    Number(base) <= Number(head?.number) &&
    sections.every((section) => isCount(counts?.[section])) &&
    Array.isArray(index) &&
    index.every((cid) => CID.asCID(cid) !== null);
  if (!isComplete) throw invalidSnapshot(file, 'its manifest has missing or invalid fields');
  return value as Manifest;
}
