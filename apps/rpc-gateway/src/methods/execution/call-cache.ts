import { isCairnError } from '@cairn/errors';
import type { CallRequest, CallResult } from '@cairn/evm-executor';
import { dividedCache } from '../divided-cache.ts';

/** Most characters of cached calls and results, over all networks. */
const charactersMax = 16 * 1024 * 1024;
/** Longer entries are not cached: they are rare and would evict many others. */
const entryCharactersMax = 64 * 1024;

const cache = dividedCache<CallResult>({
  charactersMax,
  entryCharactersMax,
  sizeOf: (result, key) => key.length + sizeOf(result) + 200,
});

function sizeOf(result: CallResult): number {
  return result.kind === 'success' ? result.output.length : result.kind === 'revert' ? result.data.length : 0;
}

/** Running calls, by key. */
const running = new Map<string, Promise<CallResult>>();

export interface CachedCall {
  readonly network: string;
  readonly blockHash: string;
  readonly call: CallRequest;
  /** The only contracts that the call may read. Such calls have separate entries. */
  readonly contracts?: readonly string[] | undefined;
}

/**
 * Returns the result of a call on a block. A call is executed once for each block: requests that arrive while it runs wait for its
 * result. Failures from limits of time or memory are not cached.
 */
export async function cachedCall(
  { network, blockHash, call, contracts }: CachedCall,
  execute: () => Promise<CallResult>,
): Promise<CallResult> {
  const place = contracts === undefined ? network : `${network}/${contracts.join()}`;
  const key = `${place}/${blockHash}/${keyOf(call)}`;
  const known = cache().get(key);
  if (known) return known;
  for (let others = running.get(key); others !== undefined; others = running.get(key)) {
    const result = await others.catch(unlessAborted);
    if (result) return result;
  }
  const own = execute();
  running.set(key, own);
  try {
    const made = await own;
    cache().set(key, made);
    return made;
  } finally {
    if (running.get(key) === own) running.delete(key);
  }
}

/** A call is aborted when its first client disconnects. The next waiting request then executes it again. */
function unlessAborted(error: unknown): undefined {
  if (!isCairnError(error, 'EXECUTION_ABORTED')) throw error;
}

/** Serializes a call. The key is unique: the parser fixes the order of fields, and strings hold hexadecimal digits only. */
function keyOf(call: CallRequest): string {
  let key = '';
  for (const [name, value] of Object.entries(call))
    key += `${name}=${typeof value === 'object' ? JSON.stringify(value, textOf) : value};`;
  return key;
}

function textOf(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString(16) : value;
}
