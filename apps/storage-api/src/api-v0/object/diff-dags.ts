import { Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import type { PbNode } from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';
import { type NodeSource, readBlock, readPbNode } from './pb-links.ts';

/** Kubo's numbers for kinds of changes. */
export const changeTypes = { add: 0, remove: 1, modify: 2 } as const;

/** One change that turns a DAG into another. */
export interface DagChange {
  readonly type: (typeof changeTypes)[keyof typeof changeTypes];
  readonly path: string;
  readonly before: CID | undefined;
  readonly after: CID | undefined;
}

/** Bound on time and memory of one comparison. Repeated blocks are compared each time. */
const limits = { nodes: 20_000, changes: 100_000, depth: 1000 } as const;

/**
 * Lists the changes that turn DAG `before` into DAG `after`, as Kubo does: it follows links of the same name in
 * dag-pb nodes, and reports any other nodes that differ as changed.
 * @throws BLOCK_NOT_FOUND; ApiError 400 beyond the limits; the reason of the signal
 */
export async function diffDags(
  store: NodeSource,
  before: CID,
  after: CID,
  signal: AbortSignal,
): Promise<readonly DagChange[]> {
  const changes: DagChange[] = [];
  const slices = Slices.of(signal);
  let nodes = 0;
  const add = (change: DagChange) => {
    if (changes.length === limits.changes)
      throw new ApiError(400, `the objects differ in more than ${limits.changes} links; compare parts of them`);
    changes.push(change);
  };
  const countNode = async () => {
    if (++nodes > limits.nodes)
      throw new ApiError(400, `the comparison takes more than ${limits.nodes} nodes; compare parts of the objects`);
    await slices.step();
    signal.throwIfAborted();
  };
  const compare = async (one: CID, other: CID, path: readonly string[]): Promise<void> => {
    if (one.equals(other)) return;
    await countNode();
    const [a, b] = [await readNode(store, one, signal), await readNode(store, other, signal)];
    const name = path.join('/');
    if (a === undefined || b === undefined || a.links.length + b.links.length === 0)
      return add({ type: changeTypes.modify, path: name, before: one, after: other });
    if (path.length === limits.depth)
      throw new ApiError(400, `the objects are deeper than ${limits.depth} links; compare parts of them`);
    const targets = new Map<string, CID>();
    // The first link of a name counts.
    for (const link of b.links) {
      await slices.step();
      if (!targets.has(link.name)) targets.set(link.name, link.cid);
    }
    const common = new Set<string>();
    for (const link of a.links) {
      await slices.step();
      const target = targets.get(link.name);
      if (target === undefined) continue;
      common.add(link.name);
      await compare(link.cid, target, joined(path, link.name));
    }
    for (const { name: removed, cid } of a.links) {
      await slices.step();
      if (!common.has(removed))
        add({ type: changeTypes.remove, path: joined(path, removed).join('/'), before: cid, after: undefined });
    }
    for (const { name: added, cid } of b.links) {
      await slices.step();
      if (!common.has(added))
        add({ type: changeTypes.add, path: joined(path, added).join('/'), before: undefined, after: cid });
    }
  };
  await compare(before, after, []);
  return changes;
}

/** Go's path.Join skips empty names, such as those of the links of files. */
function joined(path: readonly string[], name: string): readonly string[] {
  return name === '' ? path : [...path, name];
}

/** Decodes a node; `undefined` for a block that is not dag-pb. */
async function readNode(store: NodeSource, cid: CID, signal: AbortSignal): Promise<PbNode | undefined> {
  if (cid.code === codecs['dag-pb']) return await readPbNode(store, cid, signal);
  await readBlock(store, cid, signal);
  return undefined;
}
