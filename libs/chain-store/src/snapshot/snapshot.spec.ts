import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromHex, type Hex } from '@cairn/block-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { historyIn, type MadeChain, makeChain, type Step, step, temporaryDirectory, word } from '../chain.fixture.ts';
import { type ChainStore, inspectSnapshot, openChainStore, restoreSnapshot, writeSnapshot } from '../index.ts';
import { importChain } from '../reference-import.fixture.ts';
import { readSnapshot, writeSealed } from './snapshot.fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const at = (name: string) => join(directory.path, name);

/** Imports the first blocks of a chain. */
async function imported(chain: MadeChain, count = chain.blocks.length, name = 'store'): Promise<ChainStore> {
  const store = await openChainStore({ directory: at(name) });
  await extend(store, chain, count);
  return store;
}

async function extend(store: ChainStore, chain: MadeChain, count = chain.blocks.length): Promise<void> {
  const files = [directory.write(`${count}.rlp`, Buffer.concat(chain.blocks.slice(0, count)))];
  await importChain({ store, name: 'made', genesis: directory.write('genesis.json', chain.genesis), files });
}

const network = () => ({ name: 'made', genesis: at('genesis.json') });
const restore = (options: { head?: Hex; to?: string; file?: string } = {}) =>
  restoreSnapshot({
    file: options.file ?? at('chain.car'),
    directory: at(options.to ?? 'restored'),
    network: network(),
    head: options.head,
  });

/** Reads everything that a chain returns about its blocks, and about the states from a height on. */
function contentOf(store: ChainStore, chain: MadeChain, from: number) {
  const hashes = Array.from({ length: Number(store.head.number) + 1 }, (_, number) =>
    store.hashByNumber(BigInt(number)),
  );
  return hashes.map((found, number) => {
    const hash = found ?? '0x';
    const block = store.block(hash);
    const first = block?.transactions[0]?.hash;
    return {
      block,
      receipts: store.receipts(hash),
      totalDifficulty: store.totalDifficulty(hash),
      place: first && store.transactionPlace(first),
      state: number < from ? undefined : historyIn(store, chain)[number],
      proofs: chain.addresses.map((address) =>
        number < from ? undefined : store.proof(hash, bytesFromHex(address), [word(0), word(1), word(2)]),
      ),
    };
  });
}

const plan: Step[][] = [
  [
    { kind: 'create', child: 0 },
    { kind: 'create', child: 1 },
  ],
  [0, 1, 2].map((slot) => ({ kind: 'write' as const, child: 0, slot, value: slot + 1 })),
  [{ kind: 'write', child: 1, slot: 1, value: 7 }],
  [{ kind: 'destroy', child: 0 }],
  [{ kind: 'create', child: 0 }],
  [{ kind: 'write', child: 0, slot: 2, value: 9 }],
];

describe('a restored chain', () => {
  test('has the blocks, receipts, states and proofs of the original, and continues', async () => {
    const plans = fc.array(fc.array(step, { maxLength: 3 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(8), async (steps, states) => {
        directory = temporaryDirectory();
        const chain = await makeChain(steps);
        const original = await imported(chain, chain.blocks.length - 1);
        const { head, base } = await writeSnapshot({ store: original, network: 'made', file: at('chain.car'), states });
        expect(head).toEqual({ hash: original.head.hash, number: chain.blocks.length - 1 });
        expect(base).toBe(Math.max(0, head.number - states));
        await restore({ head: head.hash });
        const restored = await openChainStore({ directory: at('restored') });
        expect(contentOf(restored, chain, chain.history.length)).toEqual(
          contentOf(original, chain, chain.history.length),
        );
        await extend(original, chain);
        await extend(restored, chain);
        for (let number = 0; number < chain.history.length; number++) {
          const hash = chain.hashes[number - 1] ?? original.genesisHash;
          const [one, other] = [original, restored].map((store) => statesAt(store, chain, hash));
          expect(other).toEqual(number < base ? undefined : one);
        }
        await original.close();
        await restored.close();
        directory.remove();
      }),
      { numRuns: 12 },
    );
    directory = temporaryDirectory();
  });

  test('returns no state older than its snapshot', async () => {
    const store = await imported(await makeChain(plan));
    await writeSnapshot({ store, network: 'made', file: at('chain.car'), states: 2 });
    await store.close();
    await restore();
    const restored = await openChainStore({ directory: at('restored') });
    const old = restored.hashByNumber(3n) ?? '0x';
    expect(restored.stateFrom).toBe(4n);
    expect(restored.block(old)).toBeDefined();
    expect(restored.stateAt(old)).toBeUndefined();
    expect(restored.stateRoots(old)).toBeUndefined();
    expect(restored.proof(old, new Uint8Array(20), [])).toBeUndefined();
    await restored.close();
  });

  test('can be written to a snapshot again, and needs no block files', async () => {
    const chain = await makeChain(plan);
    const store = await imported(chain);
    const first = await writeSnapshot({ store, network: 'made', file: at('chain.car'), states: 2 });
    await store.close();
    await restore();
    const restored = await openChainStore({ directory: at('restored') });
    await importChain({ store: restored, ...network(), files: [at('absent.rlp')] });
    const second = await writeSnapshot({ store: restored, network: 'made', file: at('second.car') });
    expect(second).toEqual(first);
    await restored.close();
  });
});

function statesAt(store: ChainStore, chain: MadeChain, hash: Hex) {
  const state = store.stateAt(hash);
  return (
    state &&
    chain.addresses.map((text) => {
      const address = bytesFromHex(text);
      const account = state.getAccount(address);
      if (account) state.getCode(account.codeHash);
      return { account, slots: [0, 1, 2].map((slot) => state.getStorage(address, word(slot))) };
    })
  );
}

describe('restoreSnapshot', () => {
  let source: ReturnType<typeof temporaryDirectory>;
  let bytes: Buffer;
  let genesis: object;
  beforeAll(async () => {
    source = directory = temporaryDirectory();
    const chain = await makeChain(plan);
    genesis = chain.genesis;
    const store = await imported(chain);
    await writeSnapshot({ store, network: 'made', file: at('chain.car'), states: 2 });
    await store.close();
    bytes = readFileSync(at('chain.car'));
  });
  afterAll(() => source.remove());
  beforeEach(() => {
    directory.write('genesis.json', genesis);
    writeFileSync(at('chain.car'), bytes);
  });

  const refusal = (code: string) => expect.objectContaining({ code });
  const expectNothing = () => expect(existsSync(at('restored'))).toBe(false);

  test('refuses a file with any flipped bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (position, bit) => {
        const damaged = Buffer.from(bytes);
        damaged[position] = (damaged[position] as number) ^ (1 << bit);
        writeFileSync(at('damaged.car'), damaged);
        await expect(restore({ file: at('damaged.car'), to: `at-${position}-${bit}/chain` })).rejects.toThrow(
          expect.objectContaining({
            code: expect.stringMatching(/^SNAPSHOT_/),
            message: expect.stringContaining('damaged.car'),
          }),
        );
        expect(existsSync(at(`at-${position}-${bit}/chain`))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('refuses content with any flipped bit under correct CIDs', async () => {
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    const total = Buffer.concat(chunks).length;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(total - 1), fc.nat(7), async (position, bit) => {
        const changed = chunks.map((chunk) => Buffer.from(chunk));
        let rest = position;
        const chunk = changed.find(({ length }) => {
          if (rest < length) return true;
          rest -= length;
          return false;
        });
        if (chunk) chunk[rest] = (chunk[rest] as number) ^ (1 << bit);
        writeFileSync(at('sealed.car'), '');
        await writeSealed(at('sealed.car'), { manifest, chunks: changed });
        await expect(restore({ file: at('sealed.car'), to: `run-${++run}/chain` })).rejects.toThrow(
          refusal('SNAPSHOT_INVALID'),
        );
        expect(existsSync(at(`run-${run}/chain`))).toBe(false);
      }),
      // The example changes the address of the last account.
      { numRuns: 60, examples: [[6018, 1]] },
    );
  });

  test('refuses a file that is cut at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        writeFileSync(at('cut.car'), bytes.subarray(0, length));
        await expect(restore({ file: at('cut.car') })).rejects.toThrow(refusal('SNAPSHOT_DAMAGED'));
        expectNothing();
      }),
      { numRuns: 100 },
    );
  });

  test('refuses chunks that are missing, repeated or in another order', async () => {
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    const [blocks, codes, state, recent] = chunks as [Buffer, Buffer, Buffer, Buffer];
    const counts = (blocks: number, codes: number, state: number, recent: number) => ({ blocks, codes, state, recent });
    for (const [sections, changed] of [
      [counts(0, 1, 1, 1), [codes, state, recent]],
      [counts(1, 0, 1, 1), [blocks, state, recent]],
      [counts(1, 1, 0, 1), [blocks, codes, recent]],
      [counts(1, 1, 1, 0), [blocks, codes, state]],
      [counts(2, 1, 1, 1), [blocks, ...chunks]],
      [counts(1, 1, 2, 1), [blocks, codes, state, state, recent]],
      [counts(1, 1, 1, 1), [recent, codes, state, blocks]],
    ] as const) {
      await writeSealed(at('sealed.car'), { manifest: { ...manifest, sections }, chunks: [...changed] });
      await expect(restore({ file: at('sealed.car') })).rejects.toThrow(refusal('SNAPSHOT_INVALID'));
      expectNothing();
      // A file that is invalid under its CIDs cannot be resumed.
      expect(existsSync(at('.restored.restoring'))).toBe(false);
    }
  });

  test('refuses another head, another version, another chain and another genesis', async () => {
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    await expect(restore({ head: `0x${'ab'.repeat(32)}` })).rejects.toThrow(refusal('SNAPSHOT_HEAD_DIFFERS'));
    await writeSealed(at('next.car'), { manifest: { ...manifest, version: 2 as never }, chunks });
    await expect(restore({ file: at('next.car') })).rejects.toThrow(
      expect.objectContaining({ code: 'SNAPSHOT_VERSION_UNSUPPORTED', message: expect.stringContaining('version 2') }),
    );
    const other = structuredClone(genesis) as { config: { chainId: number }; gasLimit: string };
    other.config.chainId = 1;
    directory.write('genesis.json', other);
    await expect(restore()).rejects.toThrow(refusal('SNAPSHOT_NETWORK_DIFFERS'));
    directory.write('genesis.json', { ...(genesis as object), gasLimit: '0x1c9c381' });
    await expect(restore()).rejects.toThrow(refusal('SNAPSHOT_INVALID'));
    expectNothing();
  });

  test('refuses a claimed head that its blocks do not end with', async () => {
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    const hash: Hex = `0x${'ab'.repeat(32)}`;
    await writeSealed(at('claim.car'), { manifest: { ...manifest, head: { ...manifest.head, hash } }, chunks });
    await expect(restore({ file: at('claim.car'), head: hash })).rejects.toThrow(refusal('SNAPSHOT_INVALID'));
    expectNothing();
  });

  test('refuses a directory that exists, and a file that is missing or not a CAR', async () => {
    await restore();
    await expect(restore()).rejects.toThrow(refusal('CHAIN_NOT_EMPTY'));
    for (const content of ['', 'no CAR', Buffer.from('0aa16776657273696f6e02', 'hex')]) {
      directory.write('text', content);
      await expect(restore({ file: at('text'), to: 'other' })).rejects.toThrow(refusal('SNAPSHOT_DAMAGED'));
    }
    await expect(restore({ file: at('absent'), to: 'other' })).rejects.toThrow(/cannot be opened \(ENOENT\)/);
  });

  test('refuses to resume with another snapshot', async () => {
    const stop = new AbortController();
    const options = { file: at('chain.car'), directory: at('restored'), network: network(), signal: stop.signal };
    await expect(
      restoreSnapshot({
        ...options,
        onProgress: ({ section }) => section === 'state' && stop.abort(new Error('enough')),
      }),
    ).rejects.toThrow('enough');
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    await writeSealed(at('other.car'), { manifest: { ...manifest, network: 'other' }, chunks });
    await expect(restore({ file: at('other.car') })).rejects.toThrow(refusal('RESTORE_DIFFERS'));
    await restore();
  });
});

describe('writeSnapshot', () => {
  test('refuses an existing file and an empty chain, and leaves nothing after a stop', async () => {
    const store = await imported(await makeChain(plan));
    directory.write('there.car', 'something');
    const options = { store, network: 'made' };
    await expect(writeSnapshot({ ...options, file: at('there.car') })).rejects.toMatchObject({
      code: 'SNAPSHOT_EXISTS',
    });
    const stop = new AbortController();
    const before = readdirSync(directory.path);
    await expect(
      writeSnapshot({
        ...options,
        file: at('stopped.car'),
        signal: stop.signal,
        onProgress: ({ section }) => section === 'state' && stop.abort(new Error('enough')),
      }),
    ).rejects.toThrow('enough');
    expect(readdirSync(directory.path)).toEqual(before);
    await expect(writeSnapshot({ ...options, file: at('absent/chain.car') })).resolves.toBeDefined();
    await store.close();
    const empty = await openChainStore({ directory: at('empty') });
    await expect(writeSnapshot({ store: empty, network: 'made', file: at('empty.car') })).rejects.toMatchObject({
      code: 'SNAPSHOT_UNAVAILABLE',
    });
    await empty.close();
  });

  test('writes the same file for the same chain, and inspectSnapshot reads its manifest', async () => {
    const store = await imported(await makeChain(plan));
    const [one, other] = [at('one.car'), at('other.car')];
    const summary = await writeSnapshot({ store, network: 'made', file: one });
    expect(await writeSnapshot({ store, network: 'made', file: other })).toEqual(summary);
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
    expect(await inspectSnapshot(one)).toEqual({ ...summary, network: 'made', chainId: '4242' });
    await store.close();
  });

  test('is readable with other CAR software', async () => {
    const store = await imported(await makeChain(plan));
    await writeSnapshot({ store, network: 'made', file: at('chain.car') });
    const { manifest, chunks } = await readSnapshot(at('chain.car'));
    expect(manifest).toMatchObject({ format: 'cairn-chain-snapshot', head: { hash: store.head.hash }, base: 0 });
    expect(chunks).toHaveLength(4);
    await store.close();
  });
});
