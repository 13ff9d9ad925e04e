import { type Block, type Blockstore, compareByBytes, Slices, sortInSlices } from '@cairn/blockstore';
import { type CID, cidFor, codecs } from '@cairn/cid';
import {
  decodeUnixfsData,
  encodeUnixfsData,
  type PbLink,
  type PbNode,
  readPbNode as readPbNodeOf,
  type UnixfsType,
  writePbNode,
} from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';

export type NodeSource = Pick<Blockstore, 'get'>;

/** Names of one path, at most. */
const namesMax = 256;
/** Bytes of the nodes that one edit writes. */
const bytesMax = 64 * 1024 * 1024;
const identityCode = 0;

/** Reads the bytes of a block. An identity CID carries them. @throws BLOCK_NOT_FOUND */
export async function readBlock(store: NodeSource, cid: CID, signal: AbortSignal): Promise<Uint8Array> {
  return cid.multihash.code === identityCode ? cid.multihash.digest : await store.get(cid, { signal });
}

/** Reads a dag-pb node. @throws ApiError 500 for any other block, in Kubo's words */
export async function readPbNode(store: NodeSource, cid: CID, signal: AbortSignal): Promise<PbNode> {
  const bytes = await readBlock(store, cid, signal);
  if (cid.code !== codecs['dag-pb']) throw new ApiError(500, 'expected protobuf dag node');
  try {
    return await readPbNodeOf(bytes, { signal });
  } catch (error) {
    throw new ApiError(500, `${cid} is no dag-pb node: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A node whose links change, before it is written. */
interface Edited {
  readonly node: PbNode;
  /** Determines version and hash function of the CID; a new directory has those of Kubo's default. */
  readonly like: CID | undefined;
}

/** Cumulative size of a DAG as its links declare it. */
const treeSize = ({ links }: PbNode, bytes: Uint8Array) => links.reduce((sum, { tsize }) => sum + tsize, bytes.length);

/** Returns the link to a stored DAG. @throws BLOCK_NOT_FOUND */
export async function linkTo(store: NodeSource, cid: CID, signal: AbortSignal): Promise<Omit<PbLink, 'name'>> {
  const bytes = await readBlock(store, cid, signal);
  if (cid.code !== codecs['dag-pb']) return { cid, tsize: bytes.length };
  return { cid, tsize: treeSize(await readPbNode(store, cid, signal), bytes) };
}

/** Splits a path into names as Kubo does: an empty name matches no link. @throws ApiError 500 */
export function linkNames(path: string): readonly string[] {
  const names = path.split('/');
  if (names.length > namesMax) throw new ApiError(500, `the path has more than ${namesMax} names`);
  return names;
}

export interface LinkEdit {
  readonly names: readonly string[];
  /** Link that replaces those of its name; absent to remove them. */
  readonly link: Omit<PbLink, 'name'> | undefined;
  /** Creates missing directories of the path. */
  readonly create: boolean;
}

/**
 * Applies an edit to the DAG below `root`. Returns the new blocks, the root last.
 * @throws ApiError 500 in Kubo's words
 */
export async function editLinks(
  store: NodeSource,
  root: CID,
  { names, link, create }: LinkEdit,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  if (link !== undefined && names.some((name) => name.includes('\0')))
    throw new ApiError(500, 'cannot create link with a NUL character in its name');
  const blocks: Block[] = [];
  let bytesSum = 0;
  const write = async ({ node, like }: Edited): Promise<Omit<PbLink, 'name'>> => {
    const bytes = await writePbNode(node, { signal });
    bytesSum += bytes.length;
    if (bytesSum > bytesMax)
      throw new ApiError(400, `the nodes of the path have more than ${bytesMax} bytes; change a DAG below`);
    const version = like?.version ?? 0;
    const hash = like?.multihash.code ?? 'sha2-256';
    // The digest of an identity CID is the content, whose length has changed.
    const digestBytes = hash === 0 ? undefined : like?.multihash.digest.length;
    const cid = cidFor(bytes, { codec: 'dag-pb', version, hash, ...(digestBytes !== undefined && { digestBytes }) });
    blocks.push({ cid, bytes });
    return { cid, tsize: treeSize(node, bytes) };
  };
  const apply = async ({ node, like }: Edited, at: number): Promise<Edited> => {
    const name = names[at] ?? '';
    const known = node.links.find((each) => each.name === name);
    if (at === names.length - 1) {
      if (link === undefined && known === undefined) throw new ApiError(500, 'no link by that name');
      if (link !== undefined && name === '') throw new ApiError(500, 'cannot create link with no name');
      return { node: await withLink(node, name, link, signal), like };
    }
    if (known === undefined && !create) throw new ApiError(500, 'no link by that name');
    const below: Edited =
      known === undefined
        ? { node: emptyDirectory, like: undefined }
        : { node: await readPbNode(store, known.cid, signal), like: known.cid };
    return { node: await withLink(node, name, await write(await apply(below, at + 1)), signal), like };
  };
  await write(await apply({ node: await readPbNode(store, root, signal), like: root }, 0));
  return blocks;
}

const emptyDirectory: PbNode = { links: [], data: encodeUnixfsData({ type: 'directory' }) };

/** Returns a node with one link of a name, or none. Links are sorted by name, as Kubo writes them. */
async function withLink(
  { links, data }: PbNode,
  name: string,
  link: Omit<PbLink, 'name'> | undefined,
  signal: AbortSignal,
): Promise<PbNode> {
  const others = links.filter((each) => each.name !== name);
  const changed = link === undefined ? others : [...others, { cid: link.cid, name, tsize: link.tsize }];
  return { data, links: await sortInSlices(changed, (a, b) => compareByBytes(a.name, b.name), Slices.of(signal)) };
}

/** Kubo's names of the types of UnixFS. */
const typeNames: Readonly<Record<UnixfsType, string>> = {
  raw: 'Raw',
  directory: 'Directory',
  file: 'File',
  metadata: 'Metadata',
  symlink: 'Symlink',
  'hamt-sharded-directory': 'HAMTShard',
};

/** Parts of Kubo's messages. */
const refusals = {
  add: {
    named: 'cannot add named links to',
    any: 'cannot add links to',
    instead: "use 'ipfs files' commands instead",
    change: 'link addition',
  },
  remove: {
    named: 'cannot remove links from',
    any: 'cannot remove links from',
    instead: "use 'ipfs files rm' instead",
    change: 'link removal',
  },
} as const;

/** Refuses nodes other than plain directories, as Kubo does. @throws ApiError 500 */
export function requireDirectory({ data }: PbNode, verb: 'add' | 'remove'): void {
  const type = unixfsType(data);
  if (type === 'directory') return;
  const { named, any, instead, change } = refusals[verb];
  if (type === undefined)
    throw new ApiError(500, `${named} a non-UnixFS dag-pb node; pass --allow-non-unixfs to skip validation`);
  if (type === 'hamt-sharded-directory') {
    const reason = 'a HAMTShard at the dag-pb level (would corrupt the HAMT bitfield)';
    throw new ApiError(500, `${any} ${reason}; ${instead}, or pass --allow-non-unixfs to override`);
  }
  const rule = `only Directory nodes support ${change} at the dag-pb level (see https://specs.ipfs.tech/unixfs/)`;
  throw new ApiError(500, `${named} a UnixFS ${typeNames[type]} node, ${rule}`);
}

function unixfsType(data: Uint8Array | undefined): UnixfsType | undefined {
  if (data === undefined) return undefined;
  try {
    return decodeUnixfsData(data).type;
  } catch {
    return undefined;
  }
}
