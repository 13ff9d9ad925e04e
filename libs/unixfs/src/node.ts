import { type Blockstore, type ReadOptions, runInSlices, runSync, Slices } from '@cairn/blockstore/core';
import { assertHashAllowed, type CID, codecs } from '@cairn/cid';
import { type PbLink, pbNodeSteps } from './dag-pb.ts';
import { InvalidNodeError } from './errors.ts';
import { ProtobufError } from './protobuf.ts';
import { type UnixfsMetadata, type UnixfsType, unixfsDataSteps } from './unixfs-data.ts';

const identityCode = 0x00;

/** Decoded UnixFS block. A raw block is a file of its bytes. */
export interface UnixfsNode extends UnixfsMetadata {
  readonly cid: CID;
  readonly type: UnixfsType;
  /** Bytes within this node. They precede those of the links. */
  readonly data: Uint8Array;
  /** True if the data field is present. Kubo writes an empty one into a node that it truncates. */
  readonly hasData: boolean;
  readonly links: readonly PbLink[];
  /** Bytes of the file below each link. Empty for directories. */
  readonly blockSizes: readonly number[];
  /** Bytes of the file in and below this node. */
  readonly fileSize: number;
  /** Length of the block in bytes. */
  readonly blockBytes: number;
  /** Multicodec code of the hash function of a shard, and its fanout. */
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
  // An identity CID contains its block; stores do not have it.
  if (cid.multihash.code === identityCode) {
    assertHashAllowed(cid.multihash);
    return runSync(nodeSteps(cid, cid.multihash.digest));
  }
  return await decodeNode(cid, await store.get(cid, options), options);
}

/** Decodes a block as UnixFS in slices. @throws DAG_INVALID */
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
    if (message === undefined) throw new ProtobufError('it has no UnixFS data');
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
