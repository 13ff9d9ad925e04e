// Hot path of eth_call: the rows eth_call of tools/bench/peers.mjs. call-cache.spec.ts covers both ways to execute a call.
import { isCairnError } from '@cairn/errors';
import type { Awaitable, CallRequest, CallResult } from '@cairn/evm-executor';
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
 * @param executeNow executes a light call without a promise; `undefined` for others. A light call is cached when it is repeated:
 *   entries of calls that are asked once take longer to collect than such a call takes
 */
export function cachedCall(
  cached: CachedCall,
  execute: () => Promise<CallResult>,
  executeNow?: () => Awaitable<CallResult> | undefined,
): Awaitable<CallResult> {
  if (executeNow === undefined || wasSeen(hashOf(cached))) return repeatedCall(cached, execute, executeNow);
  const made = executeNow();
  if (made === undefined) return repeatedCall(cached, execute, undefined);
  if (!(made instanceof Promise)) return made;
  // Not awaited where the same call runs already.
  made.catch(() => {});
  return shared(keyOf(cached), () => made);
}

/** Like {@link cachedCall}, for a call that may have been asked before. */
function repeatedCall(
  cached: CachedCall,
  execute: () => Promise<CallResult>,
  executeNow: (() => Awaitable<CallResult> | undefined) | undefined,
): Awaitable<CallResult> {
  const key = keyOf(cached);
  const known = cache().get(key);
  if (known !== undefined) return known;
  const made = running.has(key) ? undefined : executeNow?.();
  if (made === undefined || made instanceof Promise) return shared(key, made === undefined ? execute : () => made);
  cache().set(key, made);
  return made;
}

/** Hashes of recent light calls, each at the place that its low bits name. */
const seen = new Int32Array(4096);

/** Reports whether a call was seen recently, and notes it. Hashes may collide: the call is then cached a request too early. */
function wasSeen(hash: number): boolean {
  const place = hash & (seen.length - 1);
  if (seen[place] === hash) return true;
  seen[place] = hash;
  return false;
}

/** Hash (FNV-1a) of the texts of a call. Takes no memory, unlike its key, which most calls do not need. */
function hashOf({ network, blockHash, call }: CachedCall): number {
  let hash = hashOn(hashOn(0x811c9dc5, network), blockHash);
  for (const value of Object.values(call)) if (typeof value === 'string') hash = hashOn(hash, value);
  return hash;
}

function hashOn(start: number, text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Executes a call unless it runs, and caches its result. */
async function shared(key: string, execute: () => Promise<CallResult>): Promise<CallResult> {
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
function keyOf({ network, blockHash, call, contracts }: CachedCall): string {
  let key = `${contracts === undefined ? network : `${network}/${contracts.join()}`}/${blockHash}/`;
  for (const [name, value] of Object.entries(call))
    key += `${name}=${typeof value === 'object' ? JSON.stringify(value, textOf) : value};`;
  return key;
}

function textOf(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString(16) : value;
}
