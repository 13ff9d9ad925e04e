import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type PathStep, stepFrom } from './chain-path.ts';
import { hashOf, TestChain } from './test-chain.fixture.ts';

const step = async (chain: TestChain, from: string, blocksMax?: number) => {
  const found = await chain.read(({ reader }) => stepFrom(reader, hashOf(from), blocksMax));
  return found && hashesOf(found);
};
const hashesOf = ({ left, joined }: PathStep) => ({
  left: left.map(({ hash }) => hash),
  joined: joined.map(({ hash }) => hash),
});

test('steps lead back to the common ancestor, newest first, and forward to the head, in steps of any size', async () => {
  const path = fc.stringMatching(/^[ab]{0,8}$/);
  await fc.assert(
    fc.asyncProperty(path, path, fc.integer({ min: 1, max: 5 }), async (from, to, blocksMax) => {
      const chain = new TestChain();
      chain.moveTo(from);
      chain.moveTo(to);
      const passed = [];
      for (let at = hashOf(from); at !== hashOf(to); ) {
        const found = await chain.read(({ reader }) => stepFrom(reader, at, blocksMax));
        if (found === undefined) throw new Error('The step is unknown.');
        const { left, joined } = found;
        expect(left.length + joined.length).toBeLessThanOrEqual(blocksMax);
        expect(left.length + joined.length).toBeGreaterThan(0);
        passed.push(...left.map(({ hash }) => `-${hash}`), ...joined.map(({ hash }) => `+${hash}`));
        at = joined.at(-1)?.hash ?? left.at(-1)?.parentHash ?? at;
      }
      let common = 0;
      while (common < from.length && from[common] === to[common]) common++;
      const paths = (of: string) => Array.from({ length: of.length - common }, (_, n) => of.slice(0, common + n + 1));
      expect(passed).toEqual([
        ...paths(from)
          .reverse()
          .map((name) => `-${hashOf(name)}`),
        ...paths(to).map((name) => `+${hashOf(name)}`),
      ]);
    }),
  );
});

test('a step of a chain whose head moves meanwhile ends with the last block that links', async () => {
  const chain = new TestChain();
  chain.moveTo('bb');
  chain.moveTo('aaa');
  const found = await chain.read(({ reader }) =>
    stepFrom(
      { ...reader, head: reader.head, hashByNumber: (n) => (n === 2n ? hashOf('bb') : reader.hashByNumber(n)) },
      hashOf(''),
    ),
  );
  expect(found && hashesOf(found)).toEqual({ left: [], joined: [hashOf('a')] });
});

test('a step from an unknown block, or through one, is undefined', async () => {
  const chain = new TestChain();
  chain.moveTo('bb');
  chain.moveTo('a');
  expect(await step(chain, 'cc')).toBeUndefined();
  chain.forget('b');
  expect(await step(chain, 'bb')).toBeUndefined();
  expect(await step(chain, 'a')).toEqual({ left: [], joined: [] });
});
