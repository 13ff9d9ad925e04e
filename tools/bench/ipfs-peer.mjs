import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startCairnPeer } from './ipfs-peer/cairn-peer.mjs';
import { startKuboPeer } from './ipfs-peer/kubo-peer.mjs';
import { printLine } from './ipfs-peer/print-line.mjs';

const MiB = 1024 * 1024;

/**
 * Measures a transfer by bitswap over loopback in each direction beside two Kubo nodes, in alternation: every round has a new
 * file. A fetch ends when each block is verified and durable. The first byte is that of a file of 16 MiB on a connected peer.
 */
export async function benchIpfsPeer({ mebibytes = 256, rounds = 3, home, profile }) {
  const from = await startKuboPeer();
  const to = await startKuboPeer();
  if (from === undefined || to === undefined) {
    console.log('Kubo is not built: node tools/peers/install.mjs kubo');
    return;
  }
  const directory = mkdtempSync(join(home, '.cairn-bench-peer-'));
  const cairn = await startCairnPeer(directory, { profile });
  const results = { kubo: [], fetched: [], served: [], kuboFirst: [], cairnFirst: [] };
  try {
    for (let round = 0; round < rounds; round++) await measureRound({ from, to, cairn, mebibytes, results, round });
    print(results);
  } finally {
    await Promise.allSettled([cairn.stop(), from.stop(), to.stop()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureRound({ from, to, cairn, mebibytes, results, round }) {
  const rate = (ms) => mebibytes / (ms / 1000);
  const root = await from.add(randomBytes(mebibytes * MiB));
  const providers = [from.provider];
  // The order alternates: the second reader of a file finds it in the page cache.
  const steps = [
    async () => {
      await to.connect(from.provider);
      results.kubo.push(rate(await to.fetch(root)));
      await to.disconnect(from.provider);
      await to.empty(root);
    },
    async () => {
      const { ms, stallMs, rssMiB, cpuMs } = await cairn.call('fetch', { root, providers });
      results.fetched.push(rate(ms));
      console.log(
        `round ${round}: fetched, stall ${stallMs.toFixed(0)} ms, RSS ${rssMiB.toFixed(0)} MiB, CPU ${share(cpuMs, ms)}`,
      );
    },
  ];
  for (const step of round % 2 === 0 ? steps : steps.reverse()) await step();
  await to.connect(cairn.provider);
  await cairn.call('reset');
  results.served.push(rate(await to.fetch(root)));
  const { stallMs, rssMiB } = await cairn.call('health');
  console.log(`round ${round}: served, stall ${stallMs.toFixed(0)} ms, RSS ${rssMiB.toFixed(0)} MiB`);
  await to.disconnect(cairn.provider);
  await to.empty(root);
  await cairn.call('empty');
  await to.connect(from.provider);
  await cairn.call('fetch', { root: await from.add(randomBytes(1000)), providers });
  for (let file = 0; file < 5; file++) {
    const [ours, theirs] = [await from.add(randomBytes(16 * MiB)), await from.add(randomBytes(16 * MiB))];
    results.cairnFirst.push((await cairn.call('firstByte', { root: ours, providers })).ms);
    results.kuboFirst.push(await to.firstByte(theirs));
  }
  await to.disconnect(from.provider);
  await from.empty(root);
}

function print({ kubo, fetched, served, kuboFirst, cairnFirst }) {
  printLine('Kubo fetches from Kubo', kubo, 'MiB/s', 0);
  printLine('Cairn fetches from Kubo, durable', fetched, 'MiB/s', 0, kubo);
  printLine('Kubo fetches from Cairn', served, 'MiB/s', 0, kubo);
  printLine('first byte: Kubo from Kubo', kuboFirst, 'ms', 1);
  printLine('first byte: Cairn from Kubo', cairnFirst, 'ms', 1, kuboFirst);
}

function share(cpuMs, ms) {
  return `${Math.round((100 * cpuMs) / ms)} %`;
}
