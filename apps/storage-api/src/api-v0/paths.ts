import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { type ResolveOptions, resolveToBlock } from '@cairn/dag';
import { PlainApiError } from './api-error.ts';
import { readOptionsOf } from './read-options.ts';

/** Returns the options that resolve the paths of a request: long blocks are decoded in the codec thread. */
export function resolveOptionsOf(signal: AbortSignal): ResolveOptions {
  const { follow, resolveName, denied } = readOptionsOf(signal) ?? {};
  return {
    signal,
    ...(follow && { follow }),
    ...(resolveName && { resolveName }),
    ...(denied && { assertReadable: (step) => denied.assertPath(step) }),
  };
}

/** Resolves the `arg`s of a request to CIDs, in order. Equal paths are resolved once. */
export async function resolveAll(
  store: Pick<Blockstore, 'get'>,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CID[]> {
  const cids = new Map<string, CID>();
  for (const path of paths)
    if (!cids.has(path)) cids.set(path, await resolveToBlock(store, path, resolveOptionsOf(signal)));
  return paths.flatMap((path) => cids.get(path) ?? []);
}

/** Returns one argument of a command with a fixed number of them. Their number is checked before the command runs. */
export function argument(args: readonly string[], index: number, name: string): string {
  const given = args[index];
  if (given === undefined) throw new PlainApiError(400, `argument ${JSON.stringify(name)} is required`);
  return given;
}
