import type { KeyPolicy } from '@cairn/auth';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Answer, type Gateway, key, post, until, withAuth } from './gateway.ts';
import { startLimitedGateway } from './limited-gateway.ts';
import { methodRequests, type Place, type Requests } from './method-requests.ts';
import { sample } from './sample-network.ts';

// Every method with every kind of limited key.
const { Token, Loops } = sample.contracts;
const forbidden = -32004;
const policies: Record<string, KeyPolicy> = {
  'by-method': { methods: ['rpc.discover'] },
  'by-prefix': {
    methods: ['cairn_*', 'eth_*', 'debug_*', 'net_*', 'web3_*', 'rpc*', 'trace_*', 'txpool_*'],
    grants: ['send'],
  },
  'by-network': { networks: ['second'] },
  'by-contract': { contracts: [Token.address], grants: ['send'] },
  'by-contracts': { contracts: [Token.address, Loops.address] },
  'by-no-contract': { contracts: [] },
  'by-origin': { origins: ['https://app.example'] },
  'by-address': { addresses: ['10.0.0.0/8'] },
};

let gateway: Gateway;
let requests: Readonly<Record<string, Requests>>;

async function ask(id: string, method: string, params: readonly unknown[] = []): Promise<Answer & { status: number }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await post(gateway.url.replace(key, id), body);
  return { ...((await response.json()) as Answer), status: response.status };
}

async function place(isWanted: (transaction: { readonly to: string | null }) => boolean): Promise<Place> {
  const height = Number((await ask(key, 'eth_blockNumber')).result);
  for (let number = height; number > 0; number--) {
    const { result } = await ask(key, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
    const found = (result as { transactions: (Place & { to: string | null })[] }).transactions.find(isWanted);
    if (found !== undefined) {
      const raw = (await ask(key, 'eth_getRawTransactionByHash', [found.hash])).result;
      return { ...found, raw: String(raw) };
    }
  }
  throw new Error('The sample network lacks the expected transaction.');
}

beforeAll(async () => {
  gateway = await startLimitedGateway(policies);
  await withAuth(gateway.home, async (auth) => void (await auth.limitKey(key, { policy: { grants: ['send'] } })));
  const inside = await place(({ to }) => to?.toLowerCase() === Token.address.toLowerCase());
  const outside = await place(({ to }) => to?.toLowerCase() !== Token.address.toLowerCase());
  const rawBlock = String((await ask(key, 'debug_getRawBlock', [inside.blockHash])).result);
  const rawOf = async ({ hash }: Place) => (await ask(key, 'debug_getRawTransaction', [hash])).result;
  const raw = { inside: await rawOf(inside), outside: await rawOf(outside) };
  requests = methodRequests({ inside, outside, rawBlock, raw });
});
afterAll(() => gateway?.stop());

/** Error codes by method, one request each. */
async function codes(id: string, pick: (requests: Requests) => readonly (readonly unknown[])[]) {
  const found: [string, unknown, number | undefined][] = [];
  for (const [method, each] of Object.entries(requests))
    for (const params of pick(each)) found.push([method, params, (await ask(id, method, params)).error?.code]);
  return found;
}

const every = ({ open, refused }: Requests) => [...open, ...refused];

test('the request table covers every method and agrees with their declarations', async () => {
  const { result } = await ask(key, 'rpc.discover');
  const { methods } = result as { methods: { name: string; 'x-contracts': string }[] };
  expect(methods.map(({ name }) => name).sort()).toEqual(Object.keys(requests).sort());
  const kinds = Object.fromEntries(methods.map(({ name, 'x-contracts': kind }) => [name, kind]));
  for (const [name, { open, refused }] of Object.entries(requests)) {
    if (kinds[name] === 'nothing') expect([name, refused]).toEqual([name, []]);
    if (kinds[name] === 'anything') expect([name, open]).toEqual([name, []]);
    if (['named', 'executed', 'accounts', 'transaction'].includes(kinds[name] ?? ''))
      expect([name, open.length > 0, refused.length > 0]).toEqual([name, true, true]);
  }
});

describe('a key limited to contracts', () => {
  test('is allowed every request on its contract', async () => {
    const refusals = (await codes('by-contract', ({ open }) => open)).filter(([, , code]) => code === forbidden);
    expect(refusals).toEqual([]);
  });

  test('gets the same results as an unlimited key', async () => {
    const ids = new Set(['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter']);
    for (const [method, { open }] of Object.entries(requests))
      for (const params of ids.has(method) ? [] : open) {
        const [mine, theirs] = [await ask('by-contract', method, params), await ask(key, method, params)];
        expect([method, params, mine]).toEqual([method, params, theirs]);
      }
  });

  test('is refused every request that shows another contract', async () => {
    const answers = (await codes('by-contract', ({ refused }) => refused)).filter(([, , code]) => code !== forbidden);
    expect(answers).toEqual([]);
  });

  test('with an empty list is refused every method that shows contracts', async () => {
    const { error } = await ask('by-no-contract', 'eth_call', requests.eth_call?.open[0]);
    expect(error?.code).toBe(forbidden);
  });

  test('gets no cached result of an unlimited key', async () => {
    for (const params of [...(requests.eth_getTransactionByHash?.refused ?? [])]) {
      expect(await ask(key, 'eth_getTransactionByHash', params)).toHaveProperty('result');
      expect((await ask('by-contract', 'eth_getTransactionByHash', params)).error?.code).toBe(forbidden);
    }
  });

  test('cannot use a filter on a contract that was removed from its list', async () => {
    const { result: id } = await ask('by-contracts', 'eth_newFilter', [{ address: Loops.address }]);
    expect(await ask('by-contracts', 'eth_getFilterChanges', [id])).toMatchObject({ result: [] });
    await withAuth(
      gateway.home,
      async (auth) => void (await auth.limitKey('by-contracts', { policy: { contracts: [Token.address] } })),
    );
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      await until(
        async () => (await ask('by-contracts', method, [id])).error?.code === forbidden,
        'the new limit',
        5000,
      );
  });

  test('may subscribe to the logs of its contracts only', async () => {
    const socket = new WebSocket(gateway.webSocketUrl.replace(key, 'by-contract'));
    await new Promise((resolve) => socket.once('open', resolve));
    const send = async (params: readonly unknown[]) => {
      const answer = new Promise<Answer>((resolve) =>
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          if (message.id === 1) resolve(message);
        }),
      );
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
      const { error } = await answer;
      socket.removeAllListeners('message');
      return error?.code;
    };
    for (const params of requests.eth_subscribe?.open ?? [])
      expect([params, await send(params)]).toEqual([params, undefined]);
    for (const params of requests.eth_subscribe?.refused ?? [])
      expect([params, await send(params)]).toEqual([params, forbidden]);
    socket.close();
  });
});

test('an unlimited key is allowed every request', async () => {
  expect((await codes(key, every)).filter(([, , code]) => code === forbidden)).toEqual([]);
});

test('a key limited to a method is refused all others', async () => {
  const answers = await codes('by-method', every);
  expect(answers.filter(([method, , code]) => (code === forbidden) === (method === 'rpc.discover'))).toEqual([]);
});

test('a key limited to namespaces is allowed all of their methods', async () => {
  expect((await codes('by-prefix', every)).filter(([, , code]) => code === forbidden)).toEqual([]);
});

test.each(['by-network', 'by-origin', 'by-address'])(
  'a key limited %s is refused every method elsewhere',
  async (id) => {
    for (const [method, { open, refused }] of Object.entries(requests)) {
      const { status, error } = await ask(id, method, open[0] ?? refused[0]);
      expect([method, status, error?.code]).toEqual([method, 403, forbidden]);
    }
  },
);
