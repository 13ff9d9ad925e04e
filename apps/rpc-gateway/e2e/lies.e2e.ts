import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData } from 'viem';
import { type Lie, lies } from '../../../tools/peers/lies.mjs';
import { type LyingProxy, startHonestProxy, startLyingProxy } from '../../../tools/peers/lying-proxy.mjs';
import { type Answer, type Gateway, key, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// A gateway with an imported chain is the honest upstream. Each lie has a network of its own, since a liar stays isolated.
const { Token } = sample.contracts;
const { alice, bob } = sample.accounts;
const absent = `0x${'de'.repeat(20)}`;
const balanceOf = encodeFunctionData({ abi: Token.abi, functionName: 'balanceOf', args: [alice] });
const block = '0x3';
const requests: readonly (readonly [string, readonly unknown[]])[] = [
  ['eth_blockNumber', []],
  ['eth_call', [{ from: alice, to: Token.address, data: balanceOf }, 'latest']],
  ['eth_estimateGas', [{ from: alice, to: Token.address, data: balanceOf }]],
  ['eth_getBalance', [bob, 'latest']],
  ['eth_getBalance', [absent, 'latest']],
  ['eth_getTransactionCount', [alice, 'latest']],
  ['eth_getCode', [Token.address, 'latest']],
  ['eth_getStorageAt', [Token.address, '0x0', 'latest']],
  ['eth_getProof', [Token.address, ['0x0', '0x1'], 'latest']],
  ['eth_getBlockByNumber', [block, true]],
  ['eth_getBlockByHash', [sample.head, false]],
  ['eth_getBlockReceipts', [block]],
  ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
  ['eth_feeHistory', ['0x2', 'latest', [50]]],
];
/** Networks of one gateway process. */
const perGateway = 32;

interface Liar {
  readonly lie: Lie;
  readonly proxy: LyingProxy;
  readonly host: string;
}

let source: Gateway | undefined;
let honest: Awaited<ReturnType<typeof startHonestProxy>> | undefined;
let transactions: readonly string[] = [];
/** Lies that changed an answer. */
let exercised = 0;

beforeAll(async () => {
  source = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'] }] });
  // The liars are faster, so that the pool prefers them.
  honest = await startHonestProxy({ upstream: source.url, delayMs: 10 });
  const { result } = (await ask(source.port, 'any.localhost', [['eth_getLogs', [{ fromBlock: '0x0' }]]]))[0] as Answer;
  const found = (result as { readonly transactionHash: string }[]).map(({ transactionHash }) => transactionHash);
  transactions = [...new Set(found)].slice(0, 1);
  expect(transactions).toHaveLength(1);
});

afterAll(async () => {
  await honest?.stop();
  await source?.stop();
});

/** Above the time limits of the gateway: a batch without an answer fails with this reason instead of that of its hook. */
const answersWithinMs = 120_000;

/** Sends a batch to the network of a host. */
async function ask(port: number, host: string, calls: typeof requests): Promise<readonly Answer[]> {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const headers = { host: `${host}:${port}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(answersWithinMs);
  const sent = request({ host: '127.0.0.1', port, path: `/v3/${key}`, method: 'POST', headers, signal }).end(body);
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const answers = JSON.parse(Buffer.concat(chunks).toString()) as Answer[];
  return answers.toSorted((one, other) => Number(one.id) - Number(other.id));
}

/** Code of an answer while no upstream of the network is usable, for example when many networks start. */
const unavailable = -32002;

/** Below the limit of a hook, so that its failure has the reason. */
const availableWithinMs = 200_000;

/** Asks until the network answers all calls. No answer on the way may be wrong. @throws with the last errors and the end of the log */
async function askUntilAvailable(
  gateway: Gateway,
  host: string,
  truth?: readonly Answer[],
): Promise<readonly Answer[]> {
  for (const end = performance.now() + availableWithinMs; ; ) {
    const answers = await ask(gateway.port, host, allRequests());
    const waiting = answers.filter(({ error }) => error?.code === unavailable);
    if (waiting.length === 0) return answers;
    if (performance.now() > end) {
      const errors = new Set(waiting.map(({ error }) => error?.message));
      throw new Error([`${host} is not available:`, ...errors, ...gateway.log.slice(-30)].join('\n'));
    }
    if (truth !== undefined) {
      const given = answers.filter((answer) => !waiting.includes(answer));
      expect(given).toEqual(truth.filter(({ id }) => given.some((answer) => answer.id === id)));
    }
    await setTimeout(100);
  }
}

const allRequests = () => [
  ...requests,
  ...transactions.flatMap((hash) => [
    ['eth_getTransactionByHash', [hash]] as const,
    ['eth_getTransactionReceipt', [hash]] as const,
  ]),
];

const groups = Array.from({ length: Math.ceil(lies.length / perGateway) }, (_, group) =>
  lies.slice(group * perGateway, (group + 1) * perGateway),
);

describe.each(groups.map((group, index) => [index + 1, group] as const))('group %i', (_index, group) => {
  let gateway: Gateway | undefined;
  let liars: readonly Liar[] = [];
  let truth: readonly Answer[] = [];

  beforeAll(async () => {
    const upstream = source?.url ?? '';
    const trusted = honest?.url ?? '';
    liars = await Promise.all(
      group.map(async (lie, at) => ({
        lie,
        proxy: await startLyingProxy({ upstream, lie }),
        host: `lie${at}.localhost`,
      })),
    );
    const entryOf = (name: string, host: string, upstreams: readonly string[]) => ({
      name,
      hosts: [host],
      genesis: sampleEntry.genesis,
      upstreams,
      head: { trusted: true },
    });
    const networks = [
      entryOf('truth', 'truth.localhost', [trusted]),
      ...liars.map(({ proxy, host }, at) => entryOf(`lie${at}`, host, [trusted, proxy.url])),
    ];
    gateway = await startGateway({ networks });
    truth = await askUntilAvailable(gateway, 'truth.localhost');
  });

  afterAll(async () => {
    await gateway?.stop();
    await Promise.all(liars.map(({ proxy }) => proxy.stop()));
  });

  test('the truth is complete', () => {
    expect(truth.map(({ error }) => error)).toEqual(truth.map(() => undefined));
    expect(truth).toHaveLength(allRequests().length);
  });

  test.each(group.map(({ about, name }, at) => [`${about}: ${name}`, at] as const))(
    '%s reaches no client',
    async (_name, at) => {
      const { host } = liars[at] as Liar;
      expect(await askUntilAvailable(gateway as Gateway, host, truth)).toEqual(truth);
    },
  );

  test('the gateway is alive', () => {
    exercised += liars.filter(({ proxy }) => proxy.lied > 0).length;
    expect(gateway?.process.exitCode).toBeNull();
  });
});

test('at least 60 kinds of lies were answers to the gateway', () => {
  expect(exercised).toBeGreaterThanOrEqual(60);
});
