import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openLmdbPinStore, type PinManyOptions, Pinning, type PinStore, type WriteSession } from './index.ts';

let directory: string;
let blocks = createMemoryBlockstore();
let pins: PinStore;
let pinning: Pinning;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-pin-block-'));
  blocks = createMemoryBlockstore();
  pins = await openLmdbPinStore({ directory });
  pinning = new Pinning({ pins, blocks, collectable: blocks, now: () => 1_700_000_000_000 });
});
afterEach(async () => {
  await pins.close();
  rmSync(directory, { recursive: true });
});

const blockOf = (text: string) => {
  const bytes = Buffer.from(text);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
};
type Block = ReturnType<typeof blockOf>;
type Write = (session: WriteSession, block: Block, options: PinManyOptions) => Promise<void>;

const inOne: Write = (session, block, options) => session.pinBlock(block, options);
const inSteps: Write = async (session, block, options) => {
  await session.store.putMany([block]);
  await session.pinMany([block.cid], options);
};

/** Runs one write of an account and returns its error, if any. */
async function run(account: string, write: Write, { text, name, action }: Step): Promise<unknown> {
  const session = await pinning.write(account, { quotaBytes: 30 });
  const block = blockOf(text);
  const addedAs = name === undefined ? {} : { addedAs: new Map([[block.cid.toString(), name]]) };
  try {
    if (action === 'claim') await session.store.putMany([block]);
    else if (action === 'unpin') await pinning.unpin(account, [block.cid]);
    else await write(session, block, addedAs);
    await session.claimUnpinned();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await session.end();
  }
}

interface Step {
  readonly text: string;
  readonly name: string | undefined;
  readonly action: 'pin' | 'claim' | 'unpin';
}

async function stateOf(account: string) {
  const listed = [];
  for await (const pin of pinning.list(account)) listed.push({ ...pin, cid: pin.cid.toString() });
  return { listed, usage: await pinning.usage(account), claimed: await pinning.claimed(account) };
}

describe('pinBlock', () => {
  test('has the effects and errors of putMany and pinMany, also for claimed blocks and a small quota', async () => {
    const step = fc.record({
      text: fc.constantFrom('one', 'second block', 'third', 'a block of twenty bytes'),
      name: fc.constantFrom(undefined, 'x.txt', 'y.txt'),
      action: fc.constantFrom('pin' as const, 'pin' as const, 'claim' as const, 'unpin' as const),
    });
    let account = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        account++;
        for (const each of steps)
          expect(await run(`one ${account}`, inOne, each)).toBe(await run(`steps ${account}`, inSteps, each));
        expect(await stateOf(`one ${account}`)).toEqual(await stateOf(`steps ${account}`));
      }),
      { numRuns: 40 },
    );
  });

  test('pins of concurrent sessions are all counted', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `block ${index}`);
    await Promise.all(
      texts.map(async (text) => {
        const session = await pinning.write('many');
        await session.pinBlock(blockOf(text));
        await session.end();
      }),
    );
    expect(await pinning.usage('many')).toEqual(await pinning.recount('many'));
    expect((await pinning.usage('many')).pins).toBe(40);
    expect(await pinning.claimed('many')).toEqual({ blocks: 0, bytes: 0 });
  });
});
