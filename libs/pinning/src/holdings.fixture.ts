// Model of the holdings of several accounts, and the random steps of holdings.spec.ts.
import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import fc from 'fast-check';

interface PoolBlock {
  readonly cid: CID;
  readonly bytes: Uint8Array;
  readonly links: readonly number[];
}

export const pool: PoolBlock[] = [];
const addToPool = (links: readonly number[], text: string) => {
  const cids = links.flatMap((n) => pool[n]?.cid ?? []);
  const bytes = links.length === 0 ? Buffer.from(text) : dagCbor.encode({ cids, text });
  pool.push({ cid: cidFor(bytes, { codec: links.length === 0 ? 'raw' : 'dag-cbor' }), bytes, links });
};
for (const text of ['zero', 'one..', 'two...', 'three...']) addToPool([], text);
for (const links of [[0, 1], [1, 2], [4], [4, 5, 3], [6, 7], [0]]) addToPool(links, `node ${pool.length}`);

/** Returns the blocks reachable from a block of the pool, including itself. */
export const closure = (n: number): Set<number> =>
  new Set([n, ...(pool[n]?.links ?? []).flatMap((link) => [...closure(link)])]);
export const sizeOf = (ns: Iterable<number>) => [...ns].reduce((sum, n) => sum + (pool[n]?.bytes.length ?? 0), 0);
export const blockOf = (n: number) =>
  pool[n] ?? pool[0] ?? { cid: cidFor(Buffer.of(), { codec: 'raw' }), bytes: Buffer.of(), links: [] };
export const union = <T>(sets: Iterable<Iterable<T>>): Set<T> => new Set([...sets].flatMap((set) => [...set]));

export class AccountModel {
  readonly pins = new Map<number, 'recursive' | 'direct'>();
  readonly claims = new Set<number>();

  get retained(): Set<number> {
    return union([...this.pins].map(([n, mode]) => (mode === 'recursive' ? closure(n) : [n])));
  }

  get pinnedBytes(): number {
    return [...this.pins].reduce((sum, [n, mode]) => sum + sizeOf(mode === 'recursive' ? closure(n) : [n]), 0);
  }

  get bytes(): number {
    return this.pinnedBytes + sizeOf(this.claims);
  }
}

export const names = ['a', 'b', 'c'] as const;
export const quotaBytes = sizeOf(closure(8)) * 2;
const index = fc.nat(pool.length - 1);
const account = fc.constantFrom(...names);
export const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      account,
      some: fc.uniqueArray(index, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      account,
      some: fc.uniqueArray(index, { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), account, n: index }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pin' as const), account, n: index, direct: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unpin' as const), account, n: index }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('discard' as const),
      account,
      some: fc.uniqueArray(index, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('collectFor' as const), account }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('collect' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);
/** One step of a random run. */
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
