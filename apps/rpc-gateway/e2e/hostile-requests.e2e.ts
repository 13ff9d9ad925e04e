import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { type Answer, call, type Gateway, key, post, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    networks: [{ ...sampleEntry, hosts: ['*'], requireFrom: false }],
    env: { CAIRN_CALL_TIMEOUT_MS: '1000' },
  });
});
afterAll(() => gateway?.stop());

/** Peak resident set size of the gateway, in MiB. */
const peakMib = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

const line = (method: unknown, params: unknown = [], id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const codeOf = async (body: string | Uint8Array<ArrayBuffer>) => {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  const answer: Answer = JSON.parse(text);
  return [response.status, answer.error?.code ?? answer.result, answer.id];
};
const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
const chainId = `0x${sample.chainId.toString(16)}`;

describe('bodies', () => {
  test.each([
    ['an empty body', '', -32700],
    ['half an object', '{"jsonrpc":"2.0"', -32700],
    ['two objects', `${line('eth_chainId')}${line('eth_chainId')}`, -32700],
    ['a zero byte', `${line('eth_chainId')}\0`, -32700],
    ['deeply nested brackets', nested(2_000_000), -32005],
    ['deeply nested unclosed brackets', '['.repeat(4_000_000), -32005],
    [
      'deeply nested objects in parameters',
      line('eth_call', [1]).replace('[1]', nested(500_000, '{"a":[', ']}')),
      -32005,
    ],
    ['a string in place of an object', '"eth_chainId"', -32600],
    ['a number in place of an object', '7', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}', -32600],
    ['an empty batch', '[]', -32600],
    ['a method that is not a string', line(7), -32600],
    ['a very long method', line('x'.repeat(1_000_000)), -32600],
    ['a method named like a member of every object', line('constructor'), -32601],
    ['a method in another case', line('ETH_CHAINID'), -32601],
    ['a write', line('eth_sendTransaction', [{}]), -32601],
    ['parameters that are a string', line('eth_chainId', 'x'), -32602],
    [
      'a number of a million digits as a block',
      line('eth_getBlockByNumber', [`${'1'.repeat(1_000_000)}`, false]),
      -32602,
    ],
    [
      'a hexadecimal number of a million digits',
      line('eth_getBlockByNumber', [`0x${'1'.repeat(1_000_000)}`, false]),
      -32602,
    ],
    [
      'a JSON number of a million digits',
      line('eth_getBlockByNumber', [1]).replace('[1]', `[${'1'.repeat(1_000_000)},false]`),
      -32602,
    ],
    [
      'a JSON number beyond the range of doubles',
      line('eth_getBlockByNumber', [1]).replace('[1]', '[1e999999,false]'),
      -32602,
    ],
    [
      'data with an odd number of digits',
      line('eth_call', [{ to: sample.accounts.alice, data: '0x1' }, 'latest']),
      -32602,
    ],
    ['a value of 257 bits', line('eth_call', [{ value: `0x1${'0'.repeat(64)}` }, 'latest']), -32602],
    ['too many parameters', line('eth_chainId', [1]), -32602],
    ['too few parameters', line('eth_getBlockByHash'), -32602],
    ['a parameter with an unknown name', line('eth_chainId', { nonsense: 1 }), -32602],
  ])('with %s get their error code', async (_, body, expected) => {
    const [status, code] = await codeOf(body);
    expect([status, code]).toEqual([200, expected]);
  });

  test.each([
    ['a lone byte', [0xff]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['an incomplete character', [0xe2, 0x82]],
  ])('with invalid UTF-8 (%s) get a parse error', async (_, bytes) => {
    const body = Buffer.from(line('eth_chainId', [], 'a?b'));
    const at = body.indexOf('?');
    expect(await codeOf(Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at + 1)]))).toEqual([
      200,
      -32700,
      null,
    ]);
  });

  test('may start with a byte order mark', async () => {
    expect(await codeOf(`\ufeff${line('eth_chainId')}`)).toEqual([200, chainId, 1]);
  });

  test('with duplicate keys are read with the last value', async () => {
    const twice = '{"jsonrpc":"2.0","id":1,"id":18446744073709551615,"method":"eth_nonsense","method":"eth_chainId"}';
    const response = await post(gateway.url, twice);
    expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":18446744073709551615,"result":"${chainId}"}`);
    const fields = line('eth_call', [{}]).replace(
      '{}',
      `{"to":"nonsense","to":"${sample.accounts.deployer}","from":"${sample.accounts.alice}"}`,
    );
    expect(await codeOf(fields)).toEqual([200, '0x', 1]);
  });
});

test.each([
  ['0', '0'],
  ['-1', '-1'],
  ['1.5', '1.5'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['1e3', '1000'],
  ['""', '""'],
  ['"\\ud800"', '"\\ud800"'],
  ['"\\u0000\\"\\\\"', '"\\u0000\\"\\\\"'],
  ['"ключ 🔑"', '"ключ 🔑"'],
  ['null', 'null'],
  ['true', 'true'],
])('the id %s is returned as %s', async (id, returned) => {
  const response = await post(gateway.url, `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":${returned},"result":"${chainId}"}`);
});

test.each(['{}', '[1]', `"${'x'.repeat(100_000)}"`, '1'.repeat(1_000_000)])(
  'the id %.20s is refused and not returned',
  async (id) => {
    expect(await codeOf(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)).toEqual([200, -32600, null]);
  },
);

describe('unusual parameters', () => {
  const hex = fc.stringMatching(/^0x[0-9a-f]{0,70}$/);
  const known = fc.constantFrom<unknown>(
    sample.head,
    sample.accounts.alice,
    sample.contracts.Token.address,
    sample.contracts.Loops.address,
    'latest',
    'pending',
    '0x0',
    '0x12',
    { blockHash: sample.head },
    { blockHash: sample.head, requireCanonical: true },
    { blockNumber: '0x1' },
    { tracer: 'callTracer' },
    { to: sample.contracts.Loops.address, data: '0x' },
    { from: sample.accounts.alice, to: sample.contracts.Token.address, gas: '0xffff' },
    { blockStateCalls: [{ calls: [{}] }] },
    { address: [sample.contracts.Token.address], fromBlock: 'earliest', topics: [null, []] },
  );
  const odd = fc.oneof(
    hex,
    known,
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(
      fc.constantFrom('to', 'data', 'topics', 'fromBlock', 'balance', 'tracer', 'gas'),
      fc.oneof(hex, fc.jsonValue({ maxDepth: 1 })),
    ),
  );

  test('get a result or a client error, never an internal error', async () => {
    const { result } = await call(gateway.url, 'rpc.discover');
    const names = (result as { methods: { name: string }[] }).methods.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(40);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.array(odd, { maxLength: 5 })), { minLength: 8, maxLength: 8 }),
        async (calls) => {
          const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
          const response = await post(gateway.url, JSON.stringify(batch));
          expect(response.status).toBe(200);
          const answers = (await response.json()) as Answer[];
          expect(answers.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
          for (const { error } of answers) expect([error?.code, error?.message]).not.toContain(-32603);
        },
      ),
      { numRuns: 150 },
    );
  });
});

test('a WebSocket message with too many fragments closes its own connection only', async () => {
  const socket = new WebSocket(gateway.webSocketUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  for (let piece = 0; piece < 2000; piece++) socket.send(' ', { fin: false });
  expect(await closed).toBe(1008);
  expect((await call(gateway.url, 'eth_chainId')).result).toBe(chainId);
});

test('clients that disconnect while they send or wait cause no error in the log', async () => {
  const body = line('eth_getProof', [sample.accounts.alice, Array(1024).fill('0x0'), 'latest']);
  const head = (length: number) =>
    `POST /v3/${key} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const errors = gateway.log.filter((entry) => /"level":(50|60)/.test(entry)).length;
  for (const text of [head(10_000), `${head(10_000)}{"json`, `${head(body.length)}${body}`.repeat(300)]) {
    const socket = connect(gateway.port, '127.0.0.1');
    await new Promise((resolve) => socket.write(text, resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy());
  }
  expect((await call(gateway.url, 'eth_chainId')).result).toBe(chainId);
  expect(gateway.log.filter((entry) => /"level":(50|60)/.test(entry))).toHaveLength(errors);
});

test('memory stays bounded and the log has no errors after all hostile requests', async () => {
  expect(peakMib()).toBeLessThan(700);
  expect(gateway.log.filter((entry) => /"level":(50|60)/.test(entry))).toEqual([]);
  expect((await call(gateway.url, 'eth_blockNumber')).result).toBe('0x18');
});
