import { afterEach, describe, expect, test } from '@jest/globals';
import {
  answerInvalid,
  createUpstreamPool,
  notYetKnown,
  type UpstreamEvent,
  type UpstreamPool,
  type UpstreamPoolOptions,
} from './index.ts';
import { startNode, type TestNode } from './node.fixture.ts';

const nodes: TestNode[] = [];
const pools: UpstreamPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function nodeWith(reply?: TestNode['reply']): Promise<TestNode> {
  const node = await startNode(reply);
  nodes.push(node);
  return node;
}

function poolOf(upstreams: UpstreamPoolOptions['upstreams'], options: Partial<UpstreamPoolOptions> = {}) {
  const events: UpstreamEvent[] = [];
  const pool = createUpstreamPool({ chainId: 1n, upstreams, onEvent: (event) => events.push(event), ...options });
  pools.push(pool);
  return { pool, events, ofType: (type: UpstreamEvent['type']) => events.filter((event) => event.type === type) };
}

/** Waits until the chain id and the head of every upstream are known. */
const checked = async (pool: UpstreamPool) => {
  pool.onHead(() => {});
  await until(() => pool.states().every(({ height }) => height >= 0n));
};
const until = async (isDone: () => boolean) => {
  for (const end = Date.now() + 10_000; !isDone() && Date.now() < end; ) await new Promise((r) => setTimeout(r, 10));
  expect(isDone()).toBe(true);
};

const text = (result: unknown): string => {
  if (typeof result !== 'string') throw answerInvalid('expected a text');
  return result;
};
const read = { method: 'eth_read', params: [1], parse: text };

describe.each(['url', 'wsUrl'] as const)('over %s', (kind) => {
  test('request returns the parsed result and the name of the upstream', async () => {
    const node = await nodeWith(() => ({ result: 'value' }));
    const { pool } = poolOf([node[kind]]);
    expect(await pool.request(read)).toEqual({ value: 'value', upstream: new URL(node.url).host });
  });

  test('calls of one turn share one batch', async () => {
    const node = await nodeWith(({ params }) => ({ result: `r${params[0]}` }));
    const { pool } = poolOf([node[kind]]);
    await pool.request(read);
    const answers = await Promise.all([1, 2, 3].map((n) => pool.request({ ...read, params: [n] })));
    expect(answers.map(({ value }) => value)).toEqual(['r1', 'r2', 'r3']);
    expect(node.bodies.map(({ length }) => length)).toEqual([1, 3]);
  });

  test('a node that refuses batches of two gets single calls', async () => {
    const node = await nodeWith();
    node.reply = ({ params }) =>
      (node.bodies.at(-1)?.length ?? 0) > 1
        ? { error: { code: -32600, message: 'batch requests are not supported' } }
        : { result: `r${params[0]}` };
    const { pool } = poolOf([node[kind]]);
    await checked(pool);
    const calls = await Promise.all([1, 2, 3, 4, 5].map((n) => pool.request({ ...read, params: [n] })));
    expect(calls.map(({ value }) => value)).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
    expect(node.bodies.map(({ length }) => length)).toEqual([5, 2, 2, 1, 1, 1, 1, 1]);
  });

  test('a lost connection fails over', async () => {
    const [bad, good] = [await nodeWith(() => (request) => request.socket.destroy()), await nodeWith()];
    const { pool } = poolOf([bad[kind], good[kind]]);
    expect((await pool.request(read)).upstream).toBe(new URL(good.url).host);
  });

  test('an aborted request ends with the reason of its signal', async () => {
    const node = await nodeWith(() => new Promise(() => {}));
    const { pool } = poolOf([node[kind]]);
    const stop = new AbortController();
    const pending = pool.request(read, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('client left')), 50);
    await expect(pending).rejects.toThrow('client left');
  });
});

describe('wrong answers', () => {
  test('the evidence of a wrong answer has no signed transaction', async () => {
    const liar = await nodeWith(() => ({ result: 42 }));
    const { pool, ofType } = poolOf([liar.url]);
    await pool.broadcast({ ...read, method: 'eth_sendRawTransaction', params: ['0x02aa'] });
    expect(ofType('isolated')).toMatchObject([{ method: 'eth_sendRawTransaction', evidence: { params: '' } }]);
  });

  test('an upstream with a wrong answer is isolated with evidence, and the next one answers', async () => {
    const [liar, honest] = [await nodeWith(() => ({ result: 42 })), await nodeWith()];
    const { pool, ofType } = poolOf([liar.url, honest.url]);
    expect((await pool.request(read)).upstream).toBe(new URL(honest.url).host);
    expect(ofType('isolated')).toMatchObject([
      { upstream: new URL(liar.url).host, method: 'eth_read', evidence: { params: '[1]', result: '42' } },
    ]);
    await pool.request(read);
    expect(liar.methods).toHaveLength(1);
    expect(pool.states().map(({ isIsolated }) => isIsolated)).toEqual([true, false]);
  });

  test('isolation ends after its time and doubles', async () => {
    let now = 0;
    const node = await nodeWith(() => ({ result: 42 }));
    const { pool, ofType } = poolOf([node.url], { now: () => now });
    for (const expected of [600_000, 1_200_000]) {
      await expect(pool.request(read)).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
      expect(ofType('isolated').at(-1)).toMatchObject({ ms: expected });
      now += expected;
    }
    node.reply = () => ({ result: 'fixed' });
    expect((await pool.request(read)).value).toBe('fixed');
  });

  test('an upstream of another chain is isolated before its first answer', async () => {
    const [other, right] = [await nodeWith(), await nodeWith()];
    other.chainId = '0x5';
    const { pool, ofType } = poolOf([other.url, right.url]);
    expect((await pool.request(read)).upstream).toBe(new URL(right.url).host);
    await until(() => ofType('isolated').length === 1);
    expect(other.methods).toEqual([]);
  });

  test.each([
    ['no JSON', (_: unknown, response: { end(text: string): void }) => response.end('<html>')],
    [
      'an answer to another id',
      (_: unknown, response: { end(text: string): void }) => response.end('{"id":"x","result":"v"}'),
    ],
    ['an empty body', (_: unknown, response: { end(text: string): void }) => response.end('')],
    ['an omitted entry', { omit: true } as const],
    ['an answer without result', {} as never],
    [
      'status 500',
      (_: unknown, response: { statusCode: number; end(text: string): void }) => {
        response.statusCode = 500;
        response.end('x');
      },
    ],
    [
      'a redirect',
      (_: unknown, response: { writeHead(status: number, headers: object): { end(): void } }) =>
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'a body beyond the limit',
      (_: unknown, response: { write(text: string): boolean; on(name: string, listener: () => void): void }) => {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    ['a body that never ends', (_: unknown, response: { write(text: string): void }) => response.write('{')],
  ])('%s fails over to the next upstream', async (_, fault) => {
    const [bad, good] = [await nodeWith(() => fault as never), await nodeWith()];
    const { pool } = poolOf([bad.url, good.url], { limits: { answerBytesMax: 1024 * 1024, hedgeMsMax: 100 } });
    expect((await pool.request(read)).upstream).toBe(new URL(good.url).host);
  });
});

describe('slow and limited upstreams', () => {
  test('a hedge answers while the first upstream is silent', async () => {
    const [slow, fast] = [await nodeWith(() => new Promise(() => {})), await nodeWith()];
    const { pool, ofType } = poolOf([slow.url, fast.url]);
    expect((await pool.request(read)).upstream).toBe(new URL(fast.url).host);
    expect(ofType('hedged')).toHaveLength(1);
  });

  test('hedges stay within their share of requests', async () => {
    const reply: TestNode['reply'] = () => new Promise((resolve) => setTimeout(() => resolve({ result: 'ok' }), 60));
    const [one, two] = [await nodeWith(reply), await nodeWith(reply)];
    const { pool, ofType } = poolOf([one.url, two.url], { limits: { hedgeMsMax: 5, hedgeMsMin: 1 } });
    for (let i = 0; i < 30; i++) await pool.request(read);
    expect(ofType('hedged').length).toBeLessThanOrEqual(1 + 3);
  });

  test('status 429 pauses the upstream for Retry-After', async () => {
    let now = 0;
    const [limited, other] = [
      await nodeWith(() => (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end()),
      await nodeWith(),
    ];
    const { pool, ofType } = poolOf([limited.url, other.url], { now: () => now });
    await checked(pool);
    for (let i = 0; i < 3; i++) expect((await pool.request(read)).upstream).toBe(new URL(other.url).host);
    expect(ofType('limited')).toMatchObject([{ ms: 7000 }]);
    expect(limited.methods).toHaveLength(1);
    now += 7001;
    await pool.request(read);
    await pool.request(read);
    expect(limited.methods.length).toBeGreaterThan(1);
  });

  test('a configured rate moves calls to another upstream', async () => {
    const [thin, wide] = [await nodeWith(), await nodeWith()];
    const { pool } = poolOf([{ url: thin.url, requestsPerSecond: 3 }, wide.url], { now: () => 0 });
    for (let i = 0; i < 20; i++) await pool.request({ ...read, params: [i] });
    expect(thin.methods.length).toBeLessThanOrEqual(3);
    expect(thin.methods.length + wide.methods.length).toBe(20);
  });

  test('the breaker opens after failures and closes after a probe', async () => {
    let now = 0;
    const [bad, good] = [await nodeWith(() => (request) => request.socket.destroy()), await nodeWith()];
    const { pool, ofType } = poolOf([bad.url, good.url], { now: () => now });
    for (let i = 0; i < 10; i++) await pool.request({ ...read, params: [i] });
    expect(ofType('opened')).toHaveLength(1);
    const attempts = bad.methods.length;
    await pool.request(read);
    expect(bad.methods).toHaveLength(attempts);
    bad.reply = () => ({ result: 'ok' });
    now += 2000;
    for (let i = 0; i < 3; i++) await pool.request(read);
    expect(ofType('closed')).toHaveLength(1);
  });

  test('one upstream is retried after a failure', async () => {
    let count = 0;
    const node = await nodeWith(() => (++count < 3 ? (request) => request.socket.destroy() : { result: 'ok' }));
    const { pool } = poolOf([node.url]);
    expect((await pool.request(read)).value).toBe('ok');
    expect(count).toBe(3);
  });

  test('the deadline covers all attempts and names them', async () => {
    const node = await nodeWith(() => new Promise(() => {}));
    const { pool } = poolOf([node.url]);
    await expect(pool.request(read, { deadlineMs: 200 })).rejects.toMatchObject({
      code: 'UPSTREAMS_UNAVAILABLE',
      message: expect.stringContaining('No upstream answered in time to eth_read'),
    });
  });
});

test('an answer of very many values is not parsed, and the next upstream answers', async () => {
  const text = Buffer.from(`{"jsonrpc":"2.0","id":2,"result":[${'{},'.repeat(10_000_000)}{}]}`);
  const heavy = await nodeWith(() => (_, response) => void response.end(text));
  const next = await nodeWith();
  const { pool, events } = poolOf([heavy.url, next.url]);
  await checked(pool);
  expect(await pool.request(read)).toMatchObject({ value: 'ok', upstream: new URL(next.url).host });
  await until(() => events.some((event) => event.type === 'attempt' && event.outcome === 'failed'));
  const error = await poolOf([heavy.url], { limits: { attemptsMax: 1 } })
    .pool.request(read)
    .catch((reason) => reason);
  expect(error.message).toContain('the answer has more than 1000000 values');
});

describe('capabilities', () => {
  test('a pruned state routes to the archive node and is remembered', async () => {
    const [pruned, archive] = [
      await nodeWith(() => ({ error: { code: -32000, message: 'missing trie node 12ab (path )' } })),
      await nodeWith(),
    ];
    const { pool } = poolOf([pruned.url, archive.url]);
    await checked(pool);
    const old = { ...read, need: { kind: 'proof', number: 5n } as const };
    for (let i = 0; i < 3; i++) expect((await pool.request(old)).upstream).toBe(new URL(archive.url).host);
    expect(pruned.methods).toHaveLength(1);
    pruned.reply = () => ({ result: 'recent' });
    archive.reply = () => ({ result: 'recent' });
    await pool.request({ ...read, need: { kind: 'proof', number: 99n } });
    expect(pruned.methods.length + archive.methods.length).toBe(5);
  });

  test('state that no upstream has is a clear error', async () => {
    const node = await nodeWith(() => ({
      error: { code: -32000, message: 'distance to target block exceeds maximum proof window' },
    }));
    const { pool } = poolOf([node.url]);
    await checked(pool);
    const old = { ...read, need: { kind: 'proof', number: 5n } as const };
    for (let i = 0; i < 2; i++)
      await expect(pool.request(old)).rejects.toMatchObject({
        code: 'UPSTREAM_STATE_PRUNED',
        message: 'No upstream has the proof of block 5 any more.',
      });
    expect(node.methods).toHaveLength(1);
  });

  test('a missing method is remembered', async () => {
    const node = await nodeWith(() => ({
      error: { code: -32601, message: 'the method eth_read does not exist/is not available' },
    }));
    const { pool, ofType } = poolOf([node.url]);
    for (let i = 0; i < 2; i++)
      await expect(pool.request(read)).rejects.toMatchObject({ code: 'UPSTREAM_METHOD_UNSUPPORTED' });
    expect(node.methods).toHaveLength(1);
    expect(ofType('unsupported')).toHaveLength(1);
  });

  test('a refusal has the code and data of the upstream', async () => {
    const node = await nodeWith(() => ({ error: { code: 3, message: 'execution reverted', data: '0x08' } }));
    const { pool } = poolOf([node.url]);
    await expect(pool.request(read)).rejects.toMatchObject({ code: 'UPSTREAM_REFUSED', rpcCode: 3, rpcData: '0x08' });
  });

  test('a block that one upstream does not have yet is asked from another', async () => {
    const [behind, ahead] = [await nodeWith(() => ({ result: null })), await nodeWith()];
    const { pool, ofType } = poolOf([behind.url, ahead.url]);
    const parse = (result: unknown) => {
      if (result === null) throw notYetKnown('the block is not known yet');
      return text(result);
    };
    expect((await pool.request({ ...read, parse })).upstream).toBe(new URL(ahead.url).host);
    expect(ofType('isolated')).toEqual([]);
  });
});

describe('what the other upstreams say', () => {
  const absent = () => {
    throw notYetKnown('no such block');
  };
  const cases = [
    ['UPSTREAM_REFUSED', { error: { code: -32000, message: 'of no known kind' } }, read],
    ['UPSTREAM_METHOD_UNSUPPORTED', { error: { code: -32601, message: 'the method does not exist' } }, read],
    [
      'UPSTREAM_STATE_PRUNED',
      { error: { code: -32000, message: 'missing trie node 12ab (path )' } },
      { ...read, need: { kind: 'proof', number: 5n } as const },
    ],
    ['UPSTREAM_NOT_FOUND', { result: null }, { ...read, parse: absent, mayBeAbsent: true }],
  ] as const;

  test.each(cases)('%s holds while one upstream is down, and not while one is disturbed', async (code, reply, call) => {
    let now = 0;
    const disturbed = await nodeWith(() => (request) => request.socket.destroy());
    const other = await nodeWith(() => reply);
    const { pool } = poolOf([disturbed.url, other.url], { now: () => now });
    await checked(pool);
    const unavailable = { code: 'UPSTREAMS_UNAVAILABLE' };
    // Calls that met a failure are tried again until their deadline.
    const ask = () => pool.request(call, { deadlineMs: 500 });
    // Failures within the calls, then an open breaker.
    for (let count = 0; count < 4; count++) await expect(ask()).rejects.toMatchObject(unavailable);
    expect(pool.states()[0]?.breaker).toBe('open');
    await expect(ask()).rejects.toMatchObject(unavailable);
    for (const openMs of [1000, 2000, 4000]) {
      now += openMs;
      await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/^UPSTREAM/) });
    }
    await expect(ask()).rejects.toMatchObject({ code });
  });

  test('two upstreams without a result decide while a third one is disturbed', async () => {
    const disturbed = await nodeWith(() => (request) => request.socket.destroy());
    const others = await Promise.all([nodeWith(() => ({ result: null })), nodeWith(() => ({ result: null }))]);
    const { pool } = poolOf([disturbed, ...others].map(({ url }) => url));
    await checked(pool);
    // Failures within the calls, then an open breaker.
    for (let count = 0; count < 6; count++)
      await expect(pool.request({ ...read, parse: absent, mayBeAbsent: true })).rejects.toMatchObject({
        code: 'UPSTREAM_NOT_FOUND',
      });
    expect(disturbed.methods.length).toBeGreaterThan(0);
  });

  test('a failure before the final answer of the same upstream does not count', async () => {
    let count = 0;
    const node = await nodeWith(() => (++count === 1 ? (request) => request.socket.destroy() : { result: null }));
    const { pool } = poolOf([node.url]);
    await expect(pool.request({ ...read, parse: absent, mayBeAbsent: true })).rejects.toMatchObject({
      code: 'UPSTREAM_NOT_FOUND',
    });
  });
});

test('a result that may be absent is asked once from each upstream', async () => {
  const both = await Promise.all([nodeWith(() => ({ result: null })), nodeWith(() => ({ result: null }))]);
  const { pool } = poolOf(both.map(({ url }) => url));
  await checked(pool);
  const parse = () => {
    throw notYetKnown('no such block');
  };
  await expect(pool.request({ ...read, parse, mayBeAbsent: true })).rejects.toMatchObject({
    code: 'UPSTREAM_NOT_FOUND',
  });
  expect(both.map(({ methods }) => methods.length)).toEqual([1, 1]);
});

test('close ends the requests under way', async () => {
  const node = await nodeWith(() => new Promise(() => {}));
  const { pool } = poolOf([node.url]);
  await checked(pool);
  const pending = expect(pool.request(read)).rejects.toMatchObject({ message: 'The pool is closed.' });
  await pool.close();
  await pending;
});

describe('sharing, quorum, broadcast', () => {
  test('concurrent calls with one key share one request', async () => {
    const node = await nodeWith(() => new Promise((resolve) => setTimeout(() => resolve({ result: 'ok' }), 50)));
    const { pool } = poolOf([node.url]);
    await Promise.all(Array.from({ length: 100 }, () => pool.request({ ...read, shareAs: 'block 1' })));
    expect(node.methods).toHaveLength(1);
    await pool.request({ ...read, shareAs: 'block 1' });
    expect(node.methods).toHaveLength(2);
  });

  test('one caller that leaves does not end a shared request', async () => {
    const node = await nodeWith(() => new Promise((resolve) => setTimeout(() => resolve({ result: 'ok' }), 100)));
    const { pool } = poolOf([node.url]);
    const stop = new AbortController();
    const leaving = pool.request({ ...read, shareAs: 'k' }, { signal: stop.signal });
    const staying = pool.request({ ...read, shareAs: 'k' });
    stop.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    expect((await staying).value).toBe('ok');
  });

  test('a quorum returns the value of the majority', async () => {
    const values = ['a', 'b', 'a'];
    const all = await Promise.all(values.map((value) => nodeWith(() => ({ result: value }))));
    const { pool } = poolOf(all.map(({ url }) => url));
    await checked(pool);
    const answer = await pool.requestQuorum(read, { quorum: 2, textOf: (value) => value });
    expect(answer.value).toBe('a');
    await expect(pool.requestQuorum(read, { quorum: 3, textOf: (value) => value })).rejects.toMatchObject({
      code: 'UPSTREAMS_DISAGREE',
    });
  });

  test('a quorum asks an upstream that does not answer after the others', async () => {
    const silent = await nodeWith(() => () => {});
    const others = await Promise.all([nodeWith(), nodeWith()]);
    const { pool, ofType } = poolOf(
      [silent, ...others].map(({ url }) => url),
      {
        limits: { attemptMs: 300, failuresMax: 1, openMsMin: 60_000 },
      },
    );
    await checked(pool);
    const ask = () => pool.requestQuorum(read, { quorum: 2, textOf: (value) => value });
    const first = await ask();
    const asked = silent.methods.length;
    expect([asked, ofType('opened').length]).toEqual([1, 1]);
    expect(await ask()).toEqual(first);
    expect(silent.methods).toHaveLength(asked);
  });

  test('broadcast returns one outcome per upstream', async () => {
    const [yes, no] = [
      await nodeWith(() => ({ result: '0xhash' })),
      await nodeWith(() => ({ error: { code: -32000, message: 'nonce too low' } })),
    ];
    const { pool } = poolOf([yes.url, no.url]);
    const outcomes = await pool.broadcast({ method: 'eth_sendRawTransaction', params: ['0x'], parse: text });
    expect(outcomes).toMatchObject([
      { value: '0xhash' },
      { failure: { kind: 'refused', message: 'nonce too low', rpcCode: -32000 } },
    ]);
  });

  test('broadcast reports an outcome while other upstreams are silent', async () => {
    let answer: (reply: { result: string }) => void = () => {};
    const slow = await nodeWith(() => new Promise((resolve) => (answer = resolve)));
    const quick = await nodeWith(() => ({ result: '0xhash' }));
    const { pool } = poolOf([slow.url, quick.url]);
    const call = { method: 'eth_sendRawTransaction', params: ['0x'], parse: text };
    const first = await new Promise((resolve) => {
      void pool.broadcast(call, { onOutcome: resolve }).then(resolve);
    });
    expect(first).toMatchObject({ value: '0xhash' });
    answer({ result: '0xhash' });
  });
});

describe('heads', () => {
  const headsOf = (pool: UpstreamPool) => {
    const numbers: bigint[] = [];
    pool.onHead(({ number }) => numbers.push(number));
    return numbers;
  };

  test('polls report heads over HTTP', async () => {
    const node = await nodeWith();
    const { pool } = poolOf([node.url], { limits: { pollMs: 20 } });
    const heads = headsOf(pool);
    await until(() => heads.includes(100n));
    node.height = 101;
    await until(() => heads.includes(101n));
    expect(pool.states()[0]?.height).toBe(101n);
  });

  test('subscriptions report heads over WebSocket and are renewed after a disconnect', async () => {
    const node = await nodeWith();
    const { pool } = poolOf([node.wsUrl], { limits: { pollMs: 50 } });
    const heads = headsOf(pool);
    await until(() => heads.includes(100n));
    node.height = 101;
    node.announce();
    await until(() => heads.includes(101n));
    node.dropSockets();
    node.height = 102;
    await until(() => heads.includes(102n));
    node.height = 103;
    node.announce();
    await until(() => heads.includes(103n));
  });
});

test('errors, events and states never contain credentials', async () => {
  const node = await nodeWith(() => (request) => request.socket.destroy());
  const { port } = new URL(node.url);
  const urls = [
    `http://user:secret-word@127.0.0.1:${port}/v3/secret-key`,
    `ws://127.0.0.1:${port}/secret-key?k=secret`,
  ];
  const { pool, events } = poolOf(urls);
  const error = await pool.request(read).catch((reason: Error) => reason);
  const seen = JSON.stringify([error, events, (error as Error).stack], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  expect(seen).not.toContain('secret');
  expect(() => createUpstreamPool({ chainId: 1n, upstreams: ['ftp://secret'] })).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_CONFIG_INVALID', message: expect.not.stringContaining('secret') }),
  );
});

describe('pending transactions', () => {
  const hash = `0x${'Ab'.repeat(32)}`;

  test('a WebSocket reports hashes while there is a listener, also after it was dropped, and nothing else', async () => {
    const node = await nodeWith(() => ({ result: true }));
    const { pool } = poolOf([node.wsUrl], { limits: { pollMs: 20 } });
    const seen: string[] = [];
    const unlisten = pool.onPendingTransaction((one) => seen.push(one));
    pool.onHead(() => undefined);
    const announced = () =>
      until(() => {
        node.announcePending(hash);
        return seen.length > 0;
      });
    await announced();
    expect(seen[0]).toBe(hash.toLowerCase());
    node.dropSockets();
    // Notifications that the client has received already still arrive.
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.length = 0;
    await announced();
    for (const wrong of [null, '0x12', { hash }, [hash]]) node.announcePending(wrong);
    unlisten();
    await until(() => node.methods.includes('eth_unsubscribe'));
    expect(new Set(seen)).toEqual(new Set([hash.toLowerCase()]));
    const { length } = seen;
    node.announcePending(hash);
    await pool.request({ ...read, parse: (result) => result });
    expect(seen.length).toBe(length);
  });

  test('an upstream over HTTP reports none', async () => {
    const node = await nodeWith(() => ({ result: 'ok' }));
    const { pool } = poolOf([node.url]);
    pool.onPendingTransaction(() => undefined)();
    await pool.request(read);
    expect(node.methods).toEqual([read.method]);
  });
});
