import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { cpuSecondsOf } from '../lib/process-tree.mjs';
import { startCairnServices } from './cairn-services.mjs';
import { startKuboPeer } from './kubo-peer.mjs';
import { printLine } from './print-line.mjs';

const MiB = 1024 * 1024;
const KiB = 1024;
const shapes = (mebibytes) => [
  { name: `${mebibytes} MiB in 256 KiB`, mebibytes, chunk: 256 * KiB },
  { name: '24 MiB in 16 KiB', mebibytes: 24, chunk: 16 * KiB },
];

/**
 * Measures the built services beside a second Kubo, in alternation, with a new file in each step: `pin/add` of remote content,
 * the first byte of `cat` of a cold remote file, and the transfer of added content to Kubo.
 */
export async function benchPeerServices({ mebibytes = 256, rounds = 3, profile }) {
  const [from, to] = [await startKuboPeer(), await startKuboPeer()];
  if (from === undefined || to === undefined) {
    console.log('Kubo is not built: node tools/peers/install.mjs kubo');
    return;
  }
  let cairn;
  try {
    cairn = await startCairnServices({ profile });
    await to.connect(from.provider);
    await from.connect(cairn.provider);
    for (const shape of shapes(mebibytes)) {
      await measurePins({ from, to, cairn, shape, rounds });
      await measureServing({ from, to, cairn, shape, rounds });
    }
    await measureFirstByte({ from, to, cairn });
  } finally {
    await Promise.allSettled([cairn?.stop(), from.stop(), to.stop()]);
  }
}

async function measurePins({ from, to, cairn, shape, rounds }) {
  const [ours, theirs] = [newResults(), newResults()];
  const add = () => from.add(randomBytes(shape.mebibytes * MiB), shape.chunk);
  const steps = [
    async () => {
      const root = await add();
      // Kubo may have closed the connection meanwhile, and would search without routing until its time limit.
      await to.connect(from.provider);
      await record(theirs, shape, to, () => to.fetch(root));
      await to.empty(root);
      await from.empty(root);
    },
    async () => {
      const root = await add();
      await record(ours, shape, cairn, async () => (await cairn.call(`pin/add?arg=${root}`)).text());
      await cairn.call(`pin/rm?arg=${root}`);
      await from.empty(root);
    },
  ];
  for (let round = 0; round < rounds; round++) for (const step of ordered(steps, round)) await step();
  printResults(`pin add, ${shape.name}`, theirs, ours);
  printLoad();
}

/** Measures how fast `to` pins content that was just added: to Kubo, and to Cairn through its storage API. */
async function measureServing({ from, to, cairn, shape, rounds }) {
  const results = { kubo: newResults(), cairn: newResults() };
  const serve = async (name, node, add) => {
    const root = await add(randomBytes(shape.mebibytes * MiB), shape.chunk);
    await to.connect(node.provider);
    await record(results[name], shape, node, () => to.fetch(root));
    await to.empty(root);
  };
  const add = async (bytes, chunk) => {
    const body = new FormData();
    body.append('file', new Blob([bytes]));
    const query = `cid-version=1&raw-leaves=true&quieter=true&chunker=size-${chunk}`;
    return (await (await cairn.call(`add?${query}`, { body })).json()).Hash;
  };
  const steps = [() => serve('kubo', from, from.add), () => serve('cairn', cairn, add)];
  for (let round = 0; round < rounds; round++) for (const step of ordered(steps, round)) await step();
  printResults(`served, ${shape.name}`, results.kubo, results.cairn);
  printLoad();
}

async function measureFirstByte({ from, to, cairn }) {
  const [ours, theirs] = [[], []];
  const files = 10;
  for (let file = 0; file < files; file++) {
    const steps = [
      async () => theirs.push(await to.firstByte(await from.add(randomBytes(16 * MiB)))),
      async () => {
        const root = await from.add(randomBytes(16 * MiB));
        const read = async () => (await cairn.call(`cat?arg=${root}&length=1`)).arrayBuffer();
        ours.push(1000 * (await seconds(read)));
      },
    ];
    for (const step of ordered(steps, file)) await step();
  }
  printLine('first byte of a cold file: Kubo', theirs, 'ms', 1);
  printLine('first byte of a cold file: Cairn', ours, 'ms', 1, theirs);
  printLoad();
}

function newResults() {
  return { rates: [], cpu: [] };
}

/** Records the rate of a transfer, and the CPU time of the processes of one node. */
async function record(results, { mebibytes }, { pids }, run) {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const before = cpu();
  results.rates.push(mebibytes / (await seconds(run)));
  results.cpu.push((1000 * (cpu() - before)) / mebibytes);
}

function printResults(name, kubo, cairn) {
  printLine(`${name}: Kubo`, kubo.rates, 'MiB/s', 1);
  printLine(`${name}: Cairn`, cairn.rates, 'MiB/s', 1, kubo.rates);
  printLine(`${name}, CPU time: Kubo`, kubo.cpu, 'ms/MiB', 1);
  printLine(`${name}, CPU time: Cairn`, cairn.cpu, 'ms/MiB', 1, kubo.cpu);
}

/** The order alternates: a machine that becomes busy must not slow one side only. */
function ordered(steps, round) {
  return round % 2 === 0 ? steps : [...steps].reverse();
}

async function seconds(run) {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1000;
}

function printLoad() {
  console.log(`load average ${loadavg()[0].toFixed(1)}`);
}
