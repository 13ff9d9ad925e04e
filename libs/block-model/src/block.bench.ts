// `npm run bench` runs this package and @ethereumjs/block and rlp alternately on a mainnet block.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlockFromRLP } from '@ethereumjs/block';
import { Common, Mainnet } from '@ethereumjs/common';
import { RLP } from '@ethereumjs/rlp';
import { test } from '@jest/globals';
import {
  blockFromJson,
  blockToJson,
  decodeBlock,
  decodeRlp,
  encodeBlock,
  forkAt,
  forkSchedule,
  knownChainSpec,
  verifyBlock,
} from './index.ts';
import { conformanceDirectory } from './testing/index.ts';

const roundMs = 400;
const rounds = 5;

/** Prints operations per second of each: slowest and fastest round. The first round is a warm-up and is not counted. */
async function measure(operations: Readonly<Record<string, () => unknown>>): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(operations)) {
      let count = 0;
      const start = performance.now();
      while (performance.now() - start < roundMs) {
        await run();
        count++;
      }
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), (count * 1_000) / (performance.now() - start)]);
    }
  }
  for (const [name, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => rate.toFixed(0));
    process.stdout.write(`${name.padEnd(44)} ${shown.join(' to ')} per second\n`);
  }
}

test('a mainnet block', async () => {
  const file = join(conformanceDirectory, 'mainnet/block24476005.json');
  if (!existsSync(file)) {
    process.stdout.write(`skipped: ${file} does not exist\n`);
    return;
  }
  const json = JSON.parse(readFileSync(file, 'utf8'));
  const block = blockFromJson(json.result ?? json);
  const { number, timestamp } = block.header;
  const raw = encodeBlock(block);
  const common = new Common({
    chain: Mainnet,
    hardfork: forkAt(forkSchedule(knownChainSpec('mainnet', 'mainnet')), { number, timestamp }),
  });
  process.stdout.write(`block ${number}: ${raw.length} bytes, ${block.transactions.length} transactions\n`);
  await measure({
    'RLP to a tree': () => decodeRlp('block', raw),
    'RLP to a tree, @ethereumjs/rlp': () => RLP.decode(raw),
    'decode block': () => decodeBlock(raw),
    'decode block, @ethereumjs/block': () => createBlockFromRLP(raw, { common }),
    'decode and verify block': () => verifyBlock(decodeBlock(raw)),
    'decode and verify block, @ethereumjs/block': async () => {
      const reference = createBlockFromRLP(raw, { common });
      if (!(await reference.transactionsTrieIsValid())) throw new Error('transactionsRoot');
      if (!(await reference.withdrawalsTrieIsValid())) throw new Error('withdrawalsRoot');
    },
    'encode block': () => encodeBlock(block),
    'to JSON, senders known': () => blockToJson(block, { full: true }),
    'to JSON, senders recovered': () => blockToJson(decodeBlock(raw), { full: true }),
  });
}, 120_000);
