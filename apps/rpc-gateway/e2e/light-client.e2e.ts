import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { beaconSecrets, type FakeBeaconNode, type Forgery, type RpcBlock, startBeaconNode } from './beacon-node.ts';
import { call, createHome, type Gateway, key, launchGateway, startGateway, until } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// The light client of the built gateway selects the head. A gateway with an imported chain is the untrusted execution node.
let upstream: Gateway;
let beacon: FakeBeaconNode;
let gateway: Gateway;
let home: string;
const blocks: RpcBlock[] = [];
const started: Gateway[] = [];

beforeAll(async () => {
  upstream = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'] }] });
  for (let height = 0; height <= 24; height++) blocks.push(await blockAt(upstream, `0x${height.toString(16)}`));
  beacon = await startBeaconNode(blocks);
  home = await createHome();
  await writeFile(join(home, 'beacon.json'), JSON.stringify(beacon.config));
  gateway = await start();
});
afterAll(async () => {
  for (const one of started) await one.stop();
  await beacon?.stop();
  await upstream?.stop();
  if (home !== undefined) await rm(home, { recursive: true, force: true });
});

const blockAt = async (at: Gateway, height: string) =>
  (await call(at.url, 'eth_getBlockByNumber', [height, false])).result as RpcBlock;
const networks = (checkpoint = beacon.checkpoint) => [
  {
    name: 'lit',
    genesis: sampleEntry.genesis,
    hosts: ['*'],
    upstreams: [upstream.url],
    head: { beacon: [beacon.url], checkpoint, config: join(home, 'beacon.json') },
  },
];

async function start(): Promise<Gateway> {
  const one = await startGateway({ home, networks: networks(), env: { RPC_GATEWAY_ADMIN_PORT: '0' } });
  started.push(one);
  return one;
}

async function tags(): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for (const tag of ['latest', 'safe', 'finalized']) {
    const block = await blockAt(gateway, tag);
    if (block !== undefined) expect(block.hash).toBe(blocks[Number(block.number)]?.hash);
    found.push(block && Number(block.number));
  }
  return found;
}

const areAt = (latest: number, finalized: number) =>
  until(
    async () => String(await tags()) === String([latest, finalized, finalized]),
    `the heads ${latest} and ${finalized}`,
  );

/** Waits until the beacon node has answered so many more rounds. */
async function rounds(count: number): Promise<void> {
  const polls = () => beacon.requests.get('finality_update') ?? 0;
  const from = polls();
  await until(async () => polls() >= from + count, `${count} polls of the light client`);
}

const problems = (one = gateway) => one.log.filter((line) => line.includes('the light client has a problem'));

test('latest, safe and finalized follow the light client, not the head of the execution node', async () => {
  await areAt(2, 2);
  beacon.heads = { latest: 9, finalized: 4 };
  await areAt(9, 4);
  expect((await call(gateway.url, 'eth_blockNumber')).result).toBe('0x9');
  const { result } = await call(gateway.url, 'eth_getBalance', [blocks[1]?.miner, 'latest']);
  expect(result).toBe((await call(upstream.url, 'eth_getBalance', [blocks[1]?.miner, '0x9'])).result);
  expect([problems(), beacon.unauthorized]).toEqual([[], 0]);
});

describe('a forged update does not move the head', () => {
  const flipped = ({ beacon: honest, slots }: Forgery) => {
    const update = honest.update(slots);
    const aggregate = update.data.sync_aggregate as Record<string, string>;
    const signature = aggregate.sync_committee_signature ?? '';
    const last = signature.endsWith('0') ? '1' : '0';
    const changed = { ...aggregate, sync_committee_signature: `${signature.slice(0, -1)}${last}` };
    return { ...update, data: { ...update.data, sync_aggregate: changed } };
  };
  const otherBlock = ({ beacon: honest, slots }: Forgery) => {
    const update = honest.update(slots);
    const header = update.data.attested_header as { execution: object };
    const execution = { ...header.execution, block_hash: blocks[20]?.hash };
    return { ...update, data: { ...update.data, attested_header: { ...header, execution } } };
  };
  const oldSlots = { attested: 8192 + 300, finalized: 8192 + 250 };
  const forgeries: readonly (readonly [string, FakeBeaconNode['forge'], string | undefined])[] = [
    ['without a signature', (f) => f.beacon.update({ ...f.slots, participants: 0 }), 'signed'],
    // Such an update is valid: it counts for the choice of the best update only.
    ['with half of the participants', (f) => f.beacon.update({ ...f.slots, participants: 16 }), undefined],
    ['of another committee', (f) => f.stranger.update(f.slots), 'signature'],
    [
      'signed by the committee of the period before',
      (f) => f.beacon.update({ ...f.slots, signers: f.period - 1 }),
      'signature',
    ],
    ['of an old period', (f) => f.beacon.update(oldSlots), undefined],
    [
      'of a slot in the future',
      (f) => f.beacon.update({ ...f.slots, signature: f.slots.attested + 5000 }),
      'after the current slot',
    ],
    [
      'of a later period',
      (f) => f.beacon.update({ attested: 4 * 8192, finalized: 4 * 8192 - 9 }),
      'after the current slot',
    ],
    ['with a flipped signature', flipped, 'signature'],
    ['with another execution block', otherBlock, 'execution header'],
  ];
  let height = 9;

  test.each(forgeries)('%s', async (_name, forge, reason) => {
    const before = [height, 4, 4];
    beacon.forge = forge;
    beacon.heads = { latest: height + 1, finalized: height + 1 };
    await rounds(3);
    expect(await tags()).toEqual(before);
    if (reason !== undefined) expect(problems().some((line) => line.includes(reason))).toBe(true);
    beacon.heads = { latest: ++height, finalized: 4 };
    beacon.forge = undefined;
    await areAt(height, 4);
  });
});

test('a beacon node that goes away leaves the last heads, and is followed again', async () => {
  const before = await tags();
  beacon.isDown = true;
  await until(async () => problems().some((line) => line.includes('did not answer')), 'the log line');
  expect(await tags()).toEqual(before);
  beacon.heads = { latest: 20, finalized: 15 };
  beacon.isDown = false;
  await areAt(20, 15);
});

test('a restart needs no bootstrap, also after kill -9; a damaged state file needs one', async () => {
  await gateway.end('SIGKILL');
  beacon.requests.clear();
  gateway = await start();
  await areAt(20, 15);
  expect(beacon.requests.get('bootstrap')).toBeUndefined();
  expect(beacon.requests.get('updates')).toBeUndefined();
  await gateway.end();
  const file = join(home, 'upstreams', 'lit', 'light-client.json');
  await writeFile(file, (await readFile(file, 'utf8')).slice(0, 5000));
  gateway = await start();
  beacon.heads = { latest: 22, finalized: 21 };
  await areAt(22, 21);
  expect(beacon.requests.get('bootstrap')).toBe(1);
});

test('a wrong checkpoint is a clear log line, and an error of each request', async () => {
  const lost = await launchGateway({ networks: networks(`0x${'12'.repeat(32)}`) });
  started.push(lost);
  await until(async () => problems(lost).length > 0, 'the log line');
  expect(problems(lost)[0]).toContain('The bootstrap does not belong to the checkpoint');
  await until(async () => {
    const { error } = await call(lost.url, 'eth_chainId');
    return !error?.message.startsWith('Not ready: ');
  }, 'the start of the call workers');
  for (const [method, params] of [
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['finalized', false]],
    ['eth_call', [{ from: sample.accounts.alice, to: sample.accounts.bob }, 'latest']],
  ] as const) {
    const { error } = await call(lost.url, method, params);
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining('head') });
  }
  expect((await fetch(new URL('/readyz', lost.url))).status).toBe(503);
  expect(lost.process.exitCode).toBeNull();
});

test('no credential of a URL is in a log line or a metric', async () => {
  const [, adminPort] = /"adminPort":(\d+)/.exec(gateway.log.join('\n')) ?? [];
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  expect(metrics).toContain(`upstream="${new URL(upstream.url).host}"`);
  const text = [...started.flatMap(({ log }) => log), metrics].join('\n');
  expect(text).toContain(new URL(beacon.url).host);
  for (const secret of [...beaconSecrets, key]) expect(text).not.toContain(secret);
});
