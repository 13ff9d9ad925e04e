import type { Header, Hex } from '@cairn/block-model';
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { changeBetween, type HeadChange, HeadWatcher } from './head-watcher.ts';

const hashOf = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;

/** Builds blocks that are named by their path from genesis: "ab" is a child of "a". */
function chainOf(names: Iterable<string>) {
  const headers = new Map<Hex, Header>();
  for (const name of names)
    for (let length = 0; length <= name.length; length++) {
      const own = `g${name.slice(0, length)}`;
      const parentHash = length === 0 ? hashOf('') : hashOf(own.slice(0, -1));
      headers.set(hashOf(own), { hash: hashOf(own), parentHash, number: BigInt(length) } as Header);
    }
  return { header: (hash: Hex) => headers.get(hash) };
}

test('changeBetween returns the blocks back to the common ancestor and forward to the new head', () => {
  const name = fc.stringMatching(/^[ab]{0,8}$/);
  fc.assert(
    fc.property(name, name, (from, to) => {
      const { left, joined } = changeBetween(chainOf([from, to]), hashOf(`g${from}`), hashOf(`g${to}`));
      let common = 0;
      while (common < from.length && from[common] === to[common]) common++;
      const names = (of: string) =>
        Array.from({ length: of.length - common }, (_, n) => hashOf(`g${of.slice(0, common + n + 1)}`));
      expect(joined.map(({ hash }) => hash)).toEqual(names(to));
      expect(left.map(({ hash }) => hash)).toEqual(names(from).reverse());
    }),
  );
});

test('changeBetween returns the newest 1024 blocks of a long change', () => {
  const { joined, left } = changeBetween(chainOf(['a'.repeat(2000)]), hashOf('g'), hashOf(`g${'a'.repeat(2000)}`));
  expect([left.length, joined.length, joined[0]?.number, joined.at(-1)?.number]).toEqual([0, 1024, 977n, 2000n]);
});

test('HeadWatcher polls while there are listeners, calls each once per change, and survives a failing store', () => {
  jest.useFakeTimers();
  try {
    const store = { ...chainOf(['aa']), head: { hash: hashOf('g'), number: 0n } };
    const errors: unknown[] = [];
    const watcher = new HeadWatcher(store, { everyMs: 10, onError: (error) => errors.push(error) });
    const calls: [string, HeadChange][] = [];
    const stops = ['first', 'second'].map((name) => watcher.listen((change) => calls.push([name, change])));
    jest.advanceTimersByTime(50);
    expect(calls).toEqual([]);
    store.head = { hash: hashOf('gaa'), number: 2n };
    jest.advanceTimersByTime(50);
    expect(calls.map(([name, { joined }]) => [name, joined.length])).toEqual([
      ['first', 2],
      ['second', 2],
    ]);
    Object.defineProperty(store, 'head', {
      get() {
        throw new Error('no store');
      },
    });
    jest.advanceTimersByTime(10);
    expect(errors.length).toBe(1);
    for (const stop of stops) stop();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
