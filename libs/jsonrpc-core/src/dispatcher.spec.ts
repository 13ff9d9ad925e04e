import { CairnError } from '@cairn/errors';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type DispatchedCall,
  Dispatcher,
  type DispatcherLimits,
  defaultLimits,
  defineMethod,
  RawJson,
  RpcError,
} from './index.ts';

interface Context {
  readonly user: string;
}
const define = defineMethod<Context>();
const number = {
  name: 'a',
  summary: 'a number such as 1.',
  parse: (field: string, value: unknown) => {
    if (typeof value === 'number') return value;
    throw new CairnError('VALUE_INVALID', `${field}: expected a number, got ${JSON.stringify(value)}`, {
      details: { reason: 'json: cannot unmarshal string into Go value of type int' },
    });
  },
};
let notified = 0;
const methods = [
  define({
    name: 'add',
    summary: '',
    result: '',
    params: [number, { ...number, name: 'b' }],
    handle: ([a, b]) => a + b,
  }),
  define({
    name: 'maybe',
    summary: '',
    result: '',
    params: [{ ...number, isRequired: false }],
    handle: ([a]) => a ?? 'absent',
  }),
  define({
    name: 'depends',
    summary: '',
    result: '',
    params: [
      number,
      { name: 'b', summary: '', isRequired: false, parsesAbsent: true, parse: (_, value) => ({ value }) },
    ],
    handle: ([, b]) => String(b?.value),
  }),
  define({ name: 'who', summary: '', result: '', params: [], handle: (_, { user }) => user }),
  define({ name: 'raw', summary: '', result: '', params: [], handle: () => new RawJson('{"kept":1.0}') }),
  define({ name: 'nothing', summary: '', result: '', params: [], handle: () => undefined }),
  define({
    name: 'notify',
    summary: '',
    result: '',
    params: [],
    handle: () => {
      notified++;
    },
  }),
  define({
    name: 'fail',
    summary: '',
    result: '',
    params: [],
    handle: () => {
      throw new Error('planted secret');
    },
  }),
  define({
    name: 'refuse',
    summary: '',
    result: '',
    params: [],
    handle: () => {
      throw new RpcError('reverted', 'execution reverted', '0x');
    },
  }),
];
const calls: DispatchedCall[] = [];
const dispatcher = new Dispatcher<Context>({ methods, reference: () => 'r1', onCall: (call) => calls.push(call) });
const send = async (body: string | Uint8Array) => {
  const answer = await dispatcher.handle(body, { user: 'ann' });
  return answer === undefined ? undefined : JSON.parse(String(answer));
};
const request = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('a request', () => {
  test.each([
    ['by position', request('add', [1, 2]), 3],
    ['by name', request('add', { b: 2, a: 1 }), 3],
    ['without params', request('who'), 'ann'],
    ['with null params', request('who', null), 'ann'],
    ['with an optional parameter left out', request('maybe', []), 'absent'],
    ['with an optional parameter null', request('maybe', [null]), 'absent'],
    ['whose parser gets an absent value', request('depends', [1]), 'undefined'],
    ['whose parser gets null', request('depends', [1, null]), 'null'],
    ['whose handler returns nothing', request('nothing'), null],
  ])('%s gets its result', async (_, body, result) => {
    expect(await send(body)).toEqual({ jsonrpc: '2.0', id: 1, result });
    expect(await send(Buffer.from(body))).toEqual({ jsonrpc: '2.0', id: 1, result });
  });

  test('with a RawJson result gets the text unchanged', async () => {
    expect(await dispatcher.handle(request('raw'), { user: '' })).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"kept":1.0}}',
    );
  });

  test('gets its id back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.string({ maxLength: 200, unit: 'binary' }),
          fc.constantFrom(null, true, false),
        ),
        async (id) => {
          const sent = JSON.parse(JSON.stringify(id));
          expect((await send(request('who', [], id)))?.id).toEqual(sent);
        },
      ),
    );
  });

  test.each(['9007199254740993', '-18446744073709551615', '1.50', '1e-3'])(
    'gets the numeric id %s back digit by digit',
    async (id) => {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"who"}`;
      const sent = await dispatcher.handle(`[${request('who')},${body}]`, { user: 'ann' });
      expect(sent).toContain(`{"jsonrpc":"2.0","id":${id},"result":"ann"}]`);
      const refused = await dispatcher.handle(body.replace('who', 'nope'), { user: 'ann' });
      expect(refused).toContain(`"id":${id},"error"`);
    },
  );

  test.each([
    ['broken JSON', '{', -32700, null],
    ['an empty body', '', -32700, null],
    ['wrong UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700, null],
    ['a number', '5', -32600, null],
    ['null', 'null', -32600, null],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"who"}', -32600, 7],
    ['no method', '{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"who"}', -32600, null],
    ['params as a number', request('who', 5), -32602, 1],
    ['an unknown method', request('nope'), -32601, 1],
    ['an unknown method with params as a number', request('nope', 5), -32601, 1],
    ['a missing parameter', request('add', [1]), -32602, 1],
    ['a bad parameter', request('add', [1, 'x']), -32602, 1],
    ['too many parameters', request('who', [1]), -32602, 1],
    ['an unknown name', request('add', { a: 1, c: 2 }), -32602, 1],
    ['an empty batch', '[]', -32600, null],
    ['a failing handler', request('fail'), -32603, 1],
    ['a refusal', request('refuse'), 3, 1],
  ])('with %s gets its error code', async (_, body, code, id) => {
    expect(await send(body)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });

  test('with several faults gets the error of an invalid value before that of a missing or excess one', async () => {
    expect((await send(request('add', ['x'])))?.error.message).toMatch(/^invalid argument 0: /);
    expect((await send(request('add', ['x', 1, 2])))?.error.message).toMatch(/^invalid argument 0: /);
  });

  test('gets an error with the text of geth, the parameter and its form, and no internals', async () => {
    const message = async (body: string) => (await send(body))?.error.message;
    expect(await message(request('add', [1]))).toBe(
      'missing value for required argument 1. Parameter 2, b, is a number such as 1.',
    );
    expect(await message(request('add', [1, 'x']))).toBe(
      'invalid argument 1: json: cannot unmarshal string into Go value of type int. Parameter 2, b: expected a number, got "x"',
    );
    expect(await message(request('add', [1, 2, 3]))).toBe('too many arguments, want at most 2. add takes a, b.');
    expect(await message(request('who', [1]))).toBe('too many arguments, want at most 0. who takes no parameters.');
    expect(await message(request('nope'))).toBe('the method nope does not exist/is not available');
    expect(await message(request('who', 5))).toMatch(/^non-array args\. /);
    expect(await message(request('m'.repeat(2049)))).toBe('method name too long: 2049 > 2048');
    expect(await message('[]')).toMatch(/^empty batch\. /);
    expect(await message('{')).toMatch(/^parse error\. /);
    expect(await message('{"jsonrpc":"2.0","id":7}')).toMatch(/^invalid request\. /);
    expect(JSON.stringify(await send(request('fail')))).not.toContain('planted');
    expect((await send(request('fail')))?.error.message).toContain('r1');
    expect((await send(request('refuse')))?.error.data).toBe('0x');
  });
});

describe('Dispatcher', () => {
  /** Records the event loop turn of each call of a method that works for `ms`. */
  const busy = (ms: number) => {
    let turn = 0;
    let isOn = true;
    const tick = () => {
      turn++;
      if (isOn) setImmediate(tick);
    };
    setImmediate(tick);
    const turns: number[] = [];
    const work = define({
      name: 'work',
      summary: '',
      result: '',
      params: [{ name: 'a', summary: '', isRequired: false, parse: () => 0 }],
      handle: () => {
        turns.push(turn);
        for (const end = performance.now() + ms; performance.now() < end; );
        return 1;
      },
    });
    const stop = () => {
      isOn = false;
    };
    return { dispatcher: new Dispatcher<Context>({ methods: [work] }), turns, stop };
  };
  /** Most calls in one turn. */
  const mostOf = (turns: readonly number[]) =>
    Math.max(...[...new Set(turns)].map((turn) => turns.filter((other) => other === turn).length));

  test('yields to the event loop between synchronous requests of a batch', async () => {
    const { dispatcher, turns, stop } = busy(1);
    const batch = `[${Array.from({ length: 200 }, () => request('work')).join(',')}]`;
    await Promise.all([dispatcher.handle(batch, { user: 'ann' }), dispatcher.handle(batch, { user: 'bob' })]);
    stop();
    expect(turns).toHaveLength(400);
    // Five calls of 1 ms, and the one that ends the slice.
    expect(mostOf(turns)).toBeLessThanOrEqual(6);
  });

  test('yields to the event loop between short requests that arrive in one turn', async () => {
    const { dispatcher, turns, stop } = busy(1);
    await Promise.all(Array.from({ length: 200 }, () => dispatcher.handle(request('work'), { user: 'ann' })));
    stop();
    expect(turns).toHaveLength(200);
    // Five arriving and five waiting calls of 1 ms, and the ones that end the two slices.
    expect(mostOf(turns)).toBeLessThanOrEqual(12);
  });

  test('parses one long body per turn', async () => {
    const { dispatcher, turns, stop } = busy(0);
    const body = request('work', ['x'.repeat(100_000)]);
    await Promise.all(Array.from({ length: 20 }, () => dispatcher.handle(body, { user: 'ann' })));
    stop();
    expect(turns).toHaveLength(20);
    expect(mostOf(turns)).toBe(1);
  });
});

describe('a long batch answer', () => {
  const long = define({ name: 'long', summary: '', result: '', params: [], handle: () => 'ö'.repeat(30_000) });

  test('contains the answers in order, in UTF-8', async () => {
    const dispatcher = new Dispatcher<Context>({ methods: [long] });
    const batch = `[${Array.from({ length: 20 }, (_, id) => request('long', [], id)).join(',')}]`;
    const answer = await dispatcher.handle(batch, { user: 'ann' });
    if (!(answer instanceof Uint8Array)) throw new Error('The answer is a string, expected bytes.');
    const parsed = JSON.parse(Buffer.from(answer).toString()) as { id: number; result: string }[];
    expect(parsed.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(new Set(parsed.map(({ result }) => result))).toEqual(new Set(['ö'.repeat(30_000)]));
  });
});

describe('an aborted signal', () => {
  test('ends the batch', async () => {
    const source = new AbortController();
    let count = 0;
    const leave = define({
      name: 'leave',
      summary: '',
      result: '',
      params: [],
      handle: () => {
        if (++count === 10) source.abort();
        return 1;
      },
    });
    const dispatcher = new Dispatcher<Context>({ methods: [leave], signal: () => source.signal });
    await dispatcher.handle(`[${Array.from({ length: 500 }, () => request('leave')).join(',')}]`, { user: 'ann' });
    expect(count).toBe(10);
    await dispatcher.handle(request('leave', ['x'.repeat(100_000)]), { user: 'ann' });
    expect(count).toBe(10);
  });
});

describe('a body with many values', () => {
  const limited = new Dispatcher<Context>({ methods, limits: { valuesMax: 100 } });
  const answerOf = async (body: string) => JSON.parse(String(await limited.handle(body, { user: 'ann' })));

  test.each([
    ['numbers', `[${'0,'.repeat(100)}0]`],
    ['empty lists', `[${'[],'.repeat(50)}[]]`],
    ['keys', `{${'"k":0,'.repeat(100)}"k":0}`],
    ['an unclosed list', `[${'0,'.repeat(100)}`],
    ['a request with values in its parameters', request('who', Array(120).fill(0))],
  ])('is refused before parsing: %s', async (_, body) => {
    expect(await answerOf(body)).toMatchObject({ id: null, error: { code: -32005, data: { valuesMax: 100 } } });
  });

  test.each([',', '[', '{', '\\"[,', '\\\\', '\\\\\\",'])(
    'does not count characters in a string of %j',
    async (text) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"maybe","params":["${text.repeat(200)}"]}`;
      expect(await answerOf(body)).toMatchObject({ id: 1, error: { code: -32602 } });
    },
  );
});

describe('a batch', () => {
  test('gets results and errors in order, without notifications', async () => {
    const body = `[${request('add', [1, 1], 'x')},5,{"jsonrpc":"2.0","method":"notify"},${request('nope', [], 2)}]`;
    notified = 0;
    expect(await send(body)).toMatchObject([
      { id: 'x', result: 2 },
      { id: null, error: { code: -32600 } },
      { id: 2, error: { code: -32601 } },
    ]);
    expect(notified).toBe(1);
  });

  test('of notifications gets no answer', async () => {
    expect(await send('[{"jsonrpc":"2.0","method":"notify"}]')).toBeUndefined();
    expect(await send('{"jsonrpc":"2.0","method":"fail"}')).toBeUndefined();
    expect(await send('{"jsonrpc":"2.0","method":"who","params":5}')).toBeUndefined();
  });

  test('above the limit is refused as a whole', async () => {
    const body = (length: number) => `[${Array.from({ length }, () => request('who')).join(',')}]`;
    expect(await send(body(1000))).toHaveLength(1000);
    expect(await send(body(1001))).toMatchObject({ error: { code: -32005, data: { batchLengthMax: 1000 } } });
  });

  test('gets errors in place of results beyond the answer limit', async () => {
    const small = new Dispatcher<Context>({ methods, limits: { responseCharactersMax: 100 } });
    const batch = `[${[1, 2, 3, 4].map((id) => request('who', [], id)).join(',')}]`;
    const answers = JSON.parse(String(await small.handle(batch, { user: 'x'.repeat(30) })));
    expect(answers).toHaveLength(4);
    expect(answers[0].result).toBeDefined();
    expect(answers[3].error.code).toBe(-32005);
  });
});

describe('hostile bodies', () => {
  test.each([
    ['deep lists', '['.repeat(100_000)],
    ['deep objects', '{"a":'.repeat(100_000)],
    ['brackets in a string', request('nope', ['['.repeat(1000)])],
    ['a number of a million digits', request('who').replace('1', '1'.repeat(1_000_000))],
    ['a long method', request('m'.repeat(200_000))],
    ['a long id', request('who', [], 'x'.repeat(200_000))],
    ['duplicate keys', '{"jsonrpc":"2.0","id":1,"id":2,"method":"who"}'],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":1}}'],
    ['lone surrogates', '{"jsonrpc":"2.0","id":"\\ud800","method":"who"}'],
  ])('with %s get a result or a known code', async (_, body) => {
    const answer = await send(body);
    expect(answer.error === undefined || [-32700, -32600, -32601, -32602, -32005].includes(answer.error.code)).toBe(
      true,
    );
  });

  test('above the limit are not parsed', async () => {
    expect(await send(' '.repeat(5 * 1024 * 1024 + 1))).toMatchObject({
      error: { code: -32005, data: { limit: 'body' } },
    });
  });

  test('with any JSON get a JSON-RPC answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (body) => {
        const answer = await send(body);
        for (const one of Array.isArray(answer) ? answer : [answer])
          expect(one).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
      }),
    );
  });
});

test('onCall reports method and code, and unknown names as "unknown"', async () => {
  calls.length = 0;
  await send(`[${request('who')},${request('made-up')},${request('refuse')}]`);
  expect(calls.map(({ method, errorCode }) => `${method} ${errorCode}`).sort()).toEqual([
    'refuse 3',
    'unknown -32601',
    'who undefined',
  ]);
});

describe('an error whose data JSON cannot represent', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  const methods = [
    define({ name: 'fine', summary: '', result: '', params: [], handle: () => 1 }),
    ...[10n, loop].map((data, index) =>
      define({
        name: `bad${index}`,
        summary: '',
        result: '',
        params: [],
        handle: () => {
          throw new RpcError('server', 'secret', { data });
        },
      }),
    ),
  ];
  const seen: unknown[] = [];
  const dispatcher = new Dispatcher<Context>({
    methods,
    reference: () => 'ref-1',
    errorFrom: (error, reference) => {
      seen.push([(error as Error).name, reference]);
      return undefined;
    },
  });
  const internal = { code: -32603, message: 'Internal error (reference ref-1).' };

  test.each(['bad0', 'bad1'])('becomes -32603 with a reference, for %s', async (method) => {
    seen.length = 0;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    expect(JSON.parse(String(await dispatcher.handle(body, { user: 'ann' })))).toMatchObject({
      id: 1,
      error: internal,
    });
    expect(seen).toEqual([['TypeError', 'ref-1']]);
  });

  test('leaves the other answers of a batch as they are', async () => {
    const batch = ['fine', 'bad0', 'fine'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const answers = JSON.parse(String(await dispatcher.handle(JSON.stringify(batch), { user: 'ann' })));
    expect(answers).toMatchObject([{ result: 1 }, { error: internal }, { result: 1 }]);
  });
});

describe('limits of a dispatcher', () => {
  test('undefined is the default and does not remove the limit', async () => {
    const limits = { bodyBytesMax: undefined, batchLengthMax: 2 } as unknown as Partial<DispatcherLimits>;
    const dispatcher = new Dispatcher<Context>({ methods, limits });
    expect(dispatcher.limits).toEqual({ ...defaultLimits, batchLengthMax: 2 });
    const long = `"${'x'.repeat(defaultLimits.bodyBytesMax)}"`;
    expect(String(await dispatcher.handle(long, { user: 'ann' }))).toContain('"code":-32005');
  });

  test.each([0, -1, Number.NaN, '5', null])('%p is refused: with it no batch is answered', (value) => {
    const limits = { batchConcurrency: value } as Partial<DispatcherLimits>;
    expect(() => new Dispatcher<Context>({ methods, limits })).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', details: { field: 'limits.batchConcurrency' } }),
    );
  });

  test('Infinity disables a limit', () => {
    const limits = { responseCharactersMax: Number.POSITIVE_INFINITY };
    expect(new Dispatcher<Context>({ methods, limits }).limits).toEqual({ ...defaultLimits, ...limits });
  });
});
