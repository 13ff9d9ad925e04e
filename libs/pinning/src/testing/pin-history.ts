import { type CID, cidFor } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { PinStore } from '../pin-store.ts';

/** Call of a history. `bytes` is the size of the pinned DAG, or the quota of a known root. */
export type PinCall =
  | {
      readonly kind: 'put';
      readonly account: string;
      readonly root: string;
      readonly bytes: number;
      readonly bytesMax: number;
    }
  | { readonly kind: 'putKnownRoot'; readonly account: string; readonly root: string; readonly bytesMax: number }
  | { readonly kind: 'remove'; readonly account: string; readonly roots: readonly string[] }
  | { readonly kind: 'usage'; readonly account: string }
  | { readonly kind: 'isPinned'; readonly root: string };

/** Result: `done`, `undefined`, an error code, or the value of a read as a text. */
export interface RecordedCall {
  readonly call: PinCall;
  readonly result: string;
  /** Positions of the call and of its result in the order of events of the process. */
  readonly from: number;
  readonly to: number;
}

/** Calls of a store that a history has. */
export type HistoryStore = Pick<PinStore, 'put' | 'putKnownRoot' | 'remove' | 'usage' | 'isPinned'>;

/** CID of a root: of a raw block whose content is its name. */
export const cidOfRoot = (root: string): CID => cidFor(Buffer.from(root), { codec: 'raw' });

/** Performs a call and returns its result. @throws errors that are no result, such as a lost connection */
async function perform(store: HistoryStore, call: PinCall): Promise<string> {
  try {
    if (call.kind === 'usage') {
      const { pins, bytes } = await store.usage(call.account);
      return `${pins} ${bytes}`;
    }
    if (call.kind === 'isPinned') return `${await store.isPinned('recursive', cidOfRoot(call.root))}`;
    if (call.kind === 'remove') {
      await store.remove(call.account, call.roots.map(cidOfRoot));
      return 'done';
    }
    const { account, root, bytesMax } = call;
    const pin = { cid: cidOfRoot(root), mode: 'recursive', name: undefined, createdAt: 1 } as const;
    if (call.kind === 'putKnownRoot') {
      const known = await store.putKnownRoot(account, pin, { bytesMax });
      return known === undefined ? 'undefined' : 'done';
    }
    await store.put(account, [{ ...pin, size: { blocks: 1, bytes: call.bytes } }], { bytesMax });
    return 'done';
  } catch (error) {
    if (isCairnError(error, 'QUOTA_EXCEEDED') || isCairnError(error, 'PIN_NOT_FOUND')) return error.code;
    throw error;
  }
}

/** Runs the calls of each client one after the other, and the clients concurrently. Client n uses store n. */
export async function recordHistory(
  stores: readonly HistoryStore[],
  clients: readonly (readonly PinCall[])[],
): Promise<RecordedCall[]> {
  let events = 0;
  const history: RecordedCall[] = [];
  await Promise.all(
    clients.map(async (calls, index) => {
      const store = stores[index % stores.length];
      if (store === undefined) return;
      for (const call of calls) {
        const from = events++;
        const result = await perform(store, call);
        history.push({ call, result, from, to: events++ });
      }
    }),
  );
  return history;
}

/** Pins by account and root, with their bytes. */
type State = ReadonlyMap<string, number>;

const keyOf = (account: string, root: string) => `${account}/${root}`;

function usageOf(state: State, account: string): { readonly pins: number; readonly bytes: number } {
  let [pins, bytes] = [0, 0];
  for (const [key, size] of state)
    if (key.startsWith(`${account}/`)) {
      pins++;
      bytes += size;
    }
  return { pins, bytes };
}

function sizeOfRoot(state: State, root: string): number | undefined {
  for (const [key, size] of state) if (key.endsWith(`/${root}`)) return size;
  return undefined;
}

/** Returns the state after a call with a result; undefined where the call has another result in this state. */
function apply(state: State, { call, result }: RecordedCall): State | undefined {
  if (call.kind === 'usage') {
    const { pins, bytes } = usageOf(state, call.account);
    return result === `${pins} ${bytes}` ? state : undefined;
  }
  if (call.kind === 'isPinned') return result === `${sizeOfRoot(state, call.root) !== undefined}` ? state : undefined;
  if (call.kind === 'remove') {
    const keys = call.roots.map((root) => keyOf(call.account, root));
    const isAllowed = keys.every((key) => state.has(key));
    if ((result === 'done') !== isAllowed) return undefined;
    return isAllowed ? new Map([...state].filter(([key]) => !keys.includes(key))) : state;
  }
  // A root may count as unknown while another call changes it.
  if (result === 'undefined') return state;
  const bytes = call.kind === 'put' ? call.bytes : sizeOfRoot(state, call.root);
  if (bytes === undefined) return undefined;
  const key = keyOf(call.account, call.root);
  const growth = bytes - (state.get(key) ?? 0);
  const isAllowed = growth <= 0 || usageOf(state, call.account).bytes + growth <= call.bytesMax;
  if ((result === 'done') !== isAllowed) return undefined;
  return isAllowed ? new Map(state).set(key, bytes) : state;
}

/**
 * Reports whether a history is linearizable: an order of its calls exists in which every call has its recorded result, and that
 * keeps the order of calls that did not overlap (Wing and Gong, with the visited states remembered as Lowe does).
 */
export function isLinearizable(history: readonly RecordedCall[], start: State = new Map()): boolean {
  const calls = [...history].sort((a, b) => a.from - b.from);
  const visited = new Set<string>();
  const search = (left: readonly number[], state: State): boolean => {
    if (left.length === 0) return true;
    const key = `${left.join()} ${[...state].map(String).sort().join(';')}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const firstEnd = Math.min(...left.map((index) => calls[index]?.to ?? 0));
    for (const index of left) {
      const call = calls[index];
      // A call that began after the end of another one is later in every order.
      if (call === undefined || call.from > firstEnd) break;
      const next = apply(state, call);
      const others = left.filter((other) => other !== index);
      if (next !== undefined && search(others, next)) return true;
    }
    return false;
  };
  return search(
    calls.map((_, index) => index),
    start,
  );
}
