import { type Blockstore, type ReadOptions, runInSlices, runSync, Slices } from '@cairn/blockstore/core';
import { assertHashAllowed, type CID, codecs } from '@cairn/cid';
import { type PbLink, pbNodeSteps } from './dag-pb.ts';
import { InvalidNodeError } from './errors.ts';
import { ProtobufError } from './protobuf.ts';
import { type UnixfsMetadata, type UnixfsType, unixfsDataSteps } from './unixfs-data.ts';

const identityCode = 0x00;

/** A block read as UnixFS: a raw block is a file of its bytes. */
export interface UnixfsNode extends UnixfsMetadata {
  readonly cid: CID;
  readonly type: UnixfsType;
  /** Bytes held in this very node; they come before those of the links. */
  readonly data: Uint8Array;
  /** Whether the field of those bytes is written: Kubo leaves it, empty, in a node that it truncates. */
  readonly hasData: boolean;
  readonly links: readonly PbLink[];
  /** Bytes of the file below each link; empty for directories. */
  readonly blockSizes: readonly number[];
  /** Bytes of the file below this node, its own included. */
  readonly fileSize: number;
  /** Length of the block in bytes. */
  readonly blockBytes: number;
  /** Of a shard: multicodec code of the hash function that places its entries, and its number of slots. */
  readonly hashType?: number | undefined;
  readonly fanout?: number | undefined;
}

/**
 * Reads and decodes one node.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID; HASH_UNSUPPORTED for an identity CID of more than 128 bytes
 */
export async function readNode(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  options: ReadOptions = {},
): Promise<UnixfsNode> {
  // An identity CID carries its block; stores do not keep it.
  if (cid.multihash.code === identityCode) {
    assertHashAllowed(cid.multihash);
    return runSync(nodeSteps(cid, cid.multihash.digest));
  }
  return await decodeNode(cid, await store.get(cid, options), options);
}

/** Decodes a block as UnixFS, in slices. @throws DAG_INVALID */
export function decodeNode(cid: CID, bytes: Uint8Array, { signal }: ReadOptions = {}): Promise<UnixfsNode> {
  return runInSlices(nodeSteps(cid, bytes), Slices.of(signal));
}

function* nodeSteps(cid: CID, bytes: Uint8Array): Generator<undefined, UnixfsNode> {
  const name = cid.toString();
  if (cid.code === codecs.raw) {
    return {
      cid,
      type: 'file',
      data: bytes,
      hasData: true,
      links: [],
      blockSizes: [],
      fileSize: bytes.length,
      blockBytes: bytes.length,
    };
  }
  if (cid.code !== codecs['dag-pb'])
    throw new InvalidNodeError(name, `its codec is 0x${cid.code.toString(16)}, not dag-pb or raw`);
  try {
    const { links, data: message } = yield* pbNodeSteps(bytes);
    if (message === undefined) throw new ProtobufError('it carries no UnixFS data');
    const decoded = yield* unixfsDataSteps(message);
    const { type, data = new Uint8Array(0), blockSizes = [], fileSize, hashType, fanout, mode, mtime } = decoded;
    const isFile = type === 'file' || type === 'raw';
    if (isFile && blockSizes.length !== links.length) {
      throw new ProtobufError(`it has ${links.length} links and ${blockSizes.length} block sizes`);
    }
    const total = blockSizes.reduce((sum, size) => sum + size, data.length);
    if (isFile && ((fileSize !== undefined && fileSize !== total) || !Number.isSafeInteger(total))) {
      throw new ProtobufError(`it declares ${fileSize} bytes and holds ${total}`);
    }
    return {
      cid,
      type,
      data,
      hasData: decoded.data !== undefined,
      links,
      blockSizes: isFile ? blockSizes : [],
      fileSize: isFile ? total : 0,
      blockBytes: bytes.length,
      hashType,
      fanout,
      mode,
      mtime,
    };
  } catch (error) {
    if (error instanceof ProtobufError) throw new InvalidNodeError(name, error.message);
    throw error;
  }
}
