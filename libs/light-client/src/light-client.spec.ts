import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { LightClient, type LightClientEvent, type LightClientOptions } from './index.ts';
import { TestBeacon, testClock, testNetwork } from './testing/test-beacon.ts';

const beacon = new TestBeacon();
let slot = 20;
const servers: Server[] = [];
const clients: LightClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** The newest update of the chain at the current slot: it attests the slot before and finalizes two epochs below. */
const newest = (from = beacon) => from.update({ attested: slot - 1, finalized: Math.max(8, slot - 17) });

/** Answers of an honest node. */
function honest(path: string): unknown {
  const url = new URL(path, 'http://x');
  const name = url.pathname.split('/').at(-1) ?? '';
  if (url.pathname.includes('/bootstrap/')) return beacon.bootstrap(8).json;
  if (name === 'updates') {
    const start = Number(url.searchParams.get('start_period'));
    const count = Number(url.searchParams.get('count'));
    const periods = Array.from({ length: count }, (_, i) => start + i).filter((one) => one <= testClock.period(slot));
    return periods.map((one) =>
      beacon.update({
        attested: Math.min(one * 64 + 50, slot - 1),
        finalized: Math.max(8, Math.min(one * 64 + 20, slot - 17)),
      }),
    );
  }
  const { data, version } = newest();
  const { next_sync_committee: _, next_sync_committee_branch: __, ...update } = data;
  return { version, data: update };
}

async function serve(answer: (path: string, response: ServerResponse) => unknown = honest): Promise<string> {
  const server = createServer((request, response) => {
    const value = answer(request.url ?? '', response);
    if (value !== undefined) response.end(JSON.stringify(value));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(beacons: readonly string[], options: Partial<LightClientOptions> = {}) {
  const events: LightClientEvent[] = [];
  const client = new LightClient({
    network: testNetwork,
    beacons,
    checkpoint: beacon.bootstrap(8).root,
    pollMs: 1_000_000,
    now: () => testClock.timeOf(slot),
    onEvent: (event) => events.push(event),
    ...options,
  });
  clients.push(client);
  return { client, events };
}
const blockNumbers = ({ heads }: LightClient) => [
  heads?.optimistic.execution.blockNumber,
  heads?.finalized.execution.blockNumber,
];

test('start catches up over several periods, and refresh follows the head', async () => {
  slot = 200;
  const { client, events } = clientOf([await serve()]);
  await client.start();
  expect(blockNumbers(client)).toEqual([TestBeacon.blockNumber(199), TestBeacon.blockNumber(183)]);
  slot = 203;
  await client.refresh();
  expect(blockNumbers(client)).toEqual([TestBeacon.blockNumber(202), TestBeacon.blockNumber(186)]);
  await client.refresh();
  expect(events).toEqual([]);
});

test('a stored state continues without the checkpoint', async () => {
  slot = 60;
  const { client } = clientOf([await serve()]);
  await client.start();
  const state = client.stateText;
  slot = 130;
  const { client: next } = clientOf(
    [
      await serve((path, response) => {
        if (!path.includes('bootstrap')) return honest(path);
        response.statusCode = 404;
        return response.end();
      }),
    ],
    { state },
  );
  await next.start();
  expect(blockNumbers(next)[0]).toBe(TestBeacon.blockNumber(129));
  const other = { ...testNetwork, genesisValidatorsRoot: `0x${'11'.repeat(32)}` };
  await expect(clientOf([await serve()], { state, network: other }).client.start()).rejects.toMatchObject({
    code: 'LIGHT_CLIENT_CONFIG_INVALID',
  });
});

const lies: readonly [string, (path: string, response: ServerResponse) => unknown, LightClientEvent['type']][] = [
  ['a forged committee', () => newest(new TestBeacon(2)), 'wrong'],
  ['another type', () => ({ data: [] }), 'wrong'],
  ['no JSON', (_: string, response: ServerResponse) => void response.end('<html>'), 'unavailable'],
  [
    'very many values',
    (_: string, response: ServerResponse) => void response.end(`{"data":[${'{},'.repeat(130_000)}{}]}`),
    'unavailable',
  ],
  ['status 500', (_: string, response: ServerResponse) => void response.writeHead(500).end('{}'), 'unavailable'],
  [
    'a redirect',
    (_: string, response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
    'unavailable',
  ],
  [
    'endless bytes',
    (_: string, response: ServerResponse) => {
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    },
    'unavailable',
  ],
];
test.each(lies)('a node that answers with %s is replaced by the next one', async (_, lie, type) => {
  slot = 60;
  const bad = await serve((path, response) => (path.includes('bootstrap') ? honest(path) : lie(path, response)));
  const { client, events } = clientOf([bad, await serve()]);
  await client.start();
  expect(blockNumbers(client)[0]).toBe(TestBeacon.blockNumber(59));
  expect(events).toMatchObject([{ type, host: new URL(bad).host }]);
});

test('a node that withholds new heads is replaced after four slots', async () => {
  slot = 60;
  const frozen = newest();
  const stale = await serve((path) => (path.includes('_update') ? frozen : honest(path)));
  const { client } = clientOf([stale, await serve()]);
  await client.start();
  slot = 70;
  await client.refresh();
  await client.refresh();
  expect(blockNumbers(client)[0]).toBe(TestBeacon.blockNumber(69));
});

/** An honest node whose updates by period are replaced. `count` counts the requests for them. */
async function serveUpdates(replace: () => unknown): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const url = await serve((path) => {
    if (!path.includes('/updates')) return honest(path);
    count++;
    return [replace()];
  });
  return { url, count: () => count };
}

test('a node that repeats a valid update that brings no progress is asked once in each round', async () => {
  slot = 60;
  const weak = await serveUpdates(() => beacon.update({ attested: 59, finalized: 8, participants: 12 }));
  const known = clientOf([weak.url]);
  await known.client.start();
  expect(weak.count()).toBe(1);
  // More than half of the usual number is needed: 12 of 32 are too few beside the 32 of the newest update.
  slot = 62;
  const repeated = await serveUpdates(() => beacon.update({ attested: 61, finalized: 8, participants: 12 }));
  const { client } = clientOf([repeated.url], { state: known.client.stateText ?? '' });
  await client.start();
  await client.refresh();
  expect(repeated.count()).toBe(2);
  expect(blockNumbers(client)[0]).toBe(TestBeacon.blockNumber(61));
});

test('one member of the committee cannot sign a head after a bootstrap', async () => {
  slot = 60;
  let isHonest = false;
  const forged = beacon.update({ attested: 59, finalized: 8, participants: 1, withNext: false });
  const url = await serve((path) => {
    if (isHonest || path.includes('bootstrap')) return honest(path);
    return path.includes('/updates') ? [] : forged;
  });
  const { client } = clientOf([url]);
  await client.start();
  expect(blockNumbers(client)[0]).toBe(TestBeacon.blockNumber(8));
  isHonest = true;
  await client.refresh();
  expect(blockNumbers(client)[0]).toBe(TestBeacon.blockNumber(59));
});

test('a key in the query of a beacon URL is sent with each request', async () => {
  slot = 60;
  const paths: string[] = [];
  const url = await serve((path) => {
    paths.push(path);
    return honest(path);
  });
  await clientOf([`${url}/eth?key=a%20b&x=1#top`]).client.start();
  expect(paths).toHaveLength(4);
  for (const path of paths) {
    const { pathname, searchParams } = new URL(path, url);
    expect(pathname).toMatch(/^\/eth\/eth\/v1\/beacon\/light_client\/\w/);
    expect([searchParams.get('key'), searchParams.get('x')]).toEqual(['a b', '1']);
  }
});

test('a checkpoint beyond the weak subjectivity period is refused', async () => {
  slot = 60;
  const late = testClock.timeOf(8) + 15 * 24 * 3_600_000;
  const { client } = clientOf([await serve()], { now: () => late });
  await expect(client.start()).rejects.toMatchObject({ code: 'CHECKPOINT_TOO_OLD' });
});

test('a wrong checkpoint, no node, and invalid options are clear errors', async () => {
  slot = 60;
  const wrong = clientOf([await serve()], { checkpoint: `0x${'12'.repeat(32)}` });
  await expect(wrong.client.start()).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
  const error = await clientOf(['http://user:secret@127.0.0.1:9/secret'])
    .client.start()
    .catch((reason: Error) => reason);
  expect(error).toMatchObject({ code: 'BEACON_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:9') });
  expect(String((error as Error).stack)).not.toContain('secret');
  expect(() => clientOf([])).toThrow(expect.objectContaining({ code: 'LIGHT_CLIENT_CONFIG_INVALID' }));
  expect(() => clientOf(['x'])).toThrow(expect.objectContaining({ code: 'LIGHT_CLIENT_CONFIG_INVALID' }));
  expect(() => clientOf(['http://x'], { checkpoint: '0x' })).toThrow(
    expect.objectContaining({ code: 'LIGHT_CLIENT_CONFIG_INVALID' }),
  );
});
