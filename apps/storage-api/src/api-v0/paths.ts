import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { PlainApiError } from './api-error.ts';

/** The blocks that the `arg`s of a request lead to, in order. */
export async function resolveAll(
  store: Pick<Blockstore, 'get'>,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CID[]> {
  const cids: CID[] = [];
  for (const path of paths) cids.push(await resolveToBlock(store, path, { signal }));
  return cids;
}

/** One argument of a command that takes a fixed number of them; their number is checked before the command runs. */
export function argument(args: readonly string[], index: number, name: string): string {
  const given = args[index];
  if (given === undefined) throw new PlainApiError(400, `argument ${JSON.stringify(name)} is required`);
  return given;
}
