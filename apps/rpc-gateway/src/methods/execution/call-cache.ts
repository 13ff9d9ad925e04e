import { isCairnError } from '@cairn/errors';
import type { CallRequest, CallResult } from '@cairn/evm-executor';
import { LRUCache } from 'lru-cache';

/** Characters of calls and their results, over all networks. */
const charactersMax = 32 * 1024 * 1024;
/** Calls and results that are longer are rare and would push out many others. */
const entryCharactersMax = 64 * 1024;

const cache = new LRUCache<string, CallResult>({
  maxSize: charactersMax,
  maxEntrySize: entryCharactersMax,
  sizeCalculation: (result, key) => key.length + sizeOf(result) + 200,
});

function sizeOf(result: CallResult): number {
  return result.kind === 'success' ? result.output.length : result.kind === 'revert' ? result.data.length : 0;
}

/** Calls under way, by key. */
const running = new Map<string, Promise<CallResult>>();

export interface CachedCall {
  readonly network: string;
  readonly blockHash: string;
  readonly call: CallRequest;
  /** The only contracts that the call may read: such calls have entries of their own. */
  readonly contracts?: readonly string[] | undefined;
}

/**
 * The result of a call on a block: the same call on the same block has one answer, so it is executed once, also for those
 * who ask while it runs. What failed for want of time or memory is not remembered.
 */
export async function cachedCall(
  { network, blockHash, call, contracts }: CachedCall,
  execute: () => Promise<CallResult>,
): Promise<CallResult> {
  const place = contracts === undefined ? network : `${network}/${contracts.join()}`;
  const key = `${place}/${blockHash}/${keyOf(call)}`;
  const known = cache.get(key);
  if (known) return known;
  for (let others = running.get(key); others !== undefined; others = running.get(key)) {
    const result = await others.catch(unlessAborted);
    if (result) return result;
  }
  const own = execute();
  running.set(key, own);
  try {
    const made = await own;
    cache.set(key, made);
    return made;
  } finally {
    if (running.get(key) === own) running.delete(key);
  }
}

/** Whoever began a call may have gone away, and the call with him: the next one who waits begins it anew. */
function unlessAborted(error: unknown): undefined {
  if (!isCairnError(error, 'EXECUTION_ABORTED')) throw error;
}

/** Fields have one order, that of their parser, and no text among them has anything but hexadecimal digits. */
function keyOf(call: CallRequest): string {
  let key = '';
  for (const [name, value] of Object.entries(call))
    key += `${name}=${typeof value === 'object' ? JSON.stringify(value, textOf) : value};`;
  return key;
}

function textOf(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString(16) : value;
}
