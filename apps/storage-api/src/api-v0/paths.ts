import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { type ResolveOptions, resolveToBlock } from '@cairn/dag';
import { decodeFollowed } from '../codec-pool/codec-job.ts';
import type { CodecPool } from '../codec-pool/codec-pool.ts';
import { PlainApiError } from './api-error.ts';

const readsBySignal = new WeakMap<AbortSignal, ResolveOptions>();

/** Lets the paths of a request lead through long blocks in the codec thread. */
export function followInPool(signal: AbortSignal, codecs: CodecPool, account: string): void {
  const follow: ResolveOptions['follow'] = async (within) =>
    decodeFollowed(await codecs.run({ kind: 'follow', ...within }, { account, signal }));
  readsBySignal.set(signal, { signal, follow });
}

/** How the paths of a request are resolved; see {@link followInPool}. */
export function pathReads(signal: AbortSignal): ResolveOptions {
  return readsBySignal.get(signal) ?? { signal };
}

/** The blocks that the `arg`s of a request lead to, in order. The same path is resolved once. */
export async function resolveAll(
  store: Pick<Blockstore, 'get'>,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CID[]> {
  const cids = new Map<string, CID>();
  for (const path of paths) if (!cids.has(path)) cids.set(path, await resolveToBlock(store, path, pathReads(signal)));
  return paths.flatMap((path) => cids.get(path) ?? []);
}

/** One argument of a command that takes a fixed number of them; their number is checked before the command runs. */
export function argument(args: readonly string[], index: number, name: string): string {
  const given = args[index];
  if (given === undefined) throw new PlainApiError(400, `argument ${JSON.stringify(name)} is required`);
  return given;
}
