import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, createHome, type Gateway, startGateway, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const from = sample.accounts.alice;
const { address } = sample.contracts.Loops;
const endlessCode = { [address]: { code: '0x5b5f56' } }; // JUMPDEST, back to it
/** A simulation of 256 blocks: one block after the longest gap. */
const simulation = (head: bigint) => ({
  blockStateCalls: [{ blockOverrides: { number: `0x${(head + 256n).toString(16)}` }, calls: [] }],
});
const trace = [{ from, to: address }, 'latest', { tracer: 'callTracer', stateOverrides: endlessCode }];
/** Light work that runs in workers only: calls with overrides, and estimates. */
const modestCalls = Array.from({ length: 15 }, (_, index) =>
  index % 2 === 0
    ? (['eth_call', [{ from, to: address }, 'latest', { [address]: { code: '0x435f5260205ff3' } }]] as const)
    : (['eth_estimateGas', [{ from, to: `0x${'51'.repeat(20)}`, value: '0x1' }, 'latest']] as const),
);

let gateway: Gateway;
let head = 0n;
const urlOf = (key: string) => gateway.url.replace(/[^/]+$/, key);

beforeAll(async () => {
  const home = await createHome();
  await withAuth(home, async (auth) => {
    for (const name of ['greedy', 'second', 'third', 'modest']) {
      await auth.createAccount({ name, plan: 'free' });
      await auth.createKey(name, { id: `${name}-key` });
    }
    // A second key of the same account.
    await auth.createKey('greedy', { id: 'greedy-other-key' });
  });
  gateway = await startGateway({ home, networks: [{ ...sampleEntry, requireFrom: false }] });
  head = BigInt(String((await call(gateway.url, 'eth_blockNumber')).result));
});
afterAll(() => gateway?.stop());

/** Sends requests repeatedly on the given number of connections until `work` has ended. */
async function besides<T>(
  requests: readonly (readonly [key: string, method: string, params: readonly unknown[]])[],
  work: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const senders = requests.map(async ([key, method, params]) => {
    while (!stop.signal.aborted) await call(urlOf(key), method, params).catch(() => undefined);
  });
  try {
    // All requests have been sent.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return await work();
  } finally {
    stop.abort();
    await Promise.all(senders);
  }
}

const answersOf = (answers: readonly Answer[]) => answers.map(({ error }) => error?.message ?? 'answered');
const all = modestCalls.map(() => 'answered');

describe('an account that occupies all workers', () => {
  test.each([
    ['with eight simulations of 256 blocks', () => Array(8).fill(['greedy-key', 'eth_simulateV1', [simulation(head)]])],
    ['with four endless traces', () => Array(4).fill(['greedy-key', 'debug_traceCall', trace])],
    [
      'through two keys',
      () => ['greedy-key', 'greedy-other-key'].flatMap((key) => Array(6).fill([key, 'debug_traceCall', trace])),
    ],
    [
      'beside two that do the same',
      () => ['greedy', 'second', 'third'].flatMap((name) => Array(4).fill([`${name}-key`, 'debug_traceCall', trace])),
    ],
  ])(
    '%s does not delay other accounts',
    async (_, requests) => {
      const calls = modestCalls.map(
        ([method, params]) =>
          () =>
            call(urlOf('modest-key'), method, params),
      );
      await besides(requests(), async () => {
        expect(answersOf(await Promise.all(calls.map((each) => each())))).toEqual(all);
        const inTurn: Answer[] = [];
        for (const each of calls) inTurn.push(await each());
        expect(answersOf(inTurn)).toEqual(all);
      });
    },
    240_000,
  );
});

test('debug_traceBlock refuses an invalid block with geth’s text and traces a valid one', async () => {
  const { result } = await call(gateway.url, 'debug_getRawBlock', ['0x2']);
  const raw = String(result);
  expect((await call(gateway.url, 'debug_traceBlock', [raw, { tracer: 'callTracer' }])).result).toEqual(
    (await call(gateway.url, 'debug_traceBlockByNumber', ['0x2', { tracer: 'callTracer' }])).result,
  );
  const refused = { code: -32000, message: expect.stringMatching(/^could not decode block: /) };
  expect((await call(gateway.url, 'debug_traceBlock', ['0xc0'])).error).toMatchObject(refused);
  // The list of withdrawals at the end is replaced by a string.
  const header = await call(gateway.url, 'debug_getRawHeader', ['0x2']);
  const bytes = Buffer.from(String(header.result).slice(2), 'hex');
  const payload = Buffer.concat([bytes, Buffer.of(0x80, 0xc0)]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(payload.length);
  const block = Buffer.concat([Buffer.of(0xf9), length, payload]);
  expect((await call(gateway.url, 'debug_traceBlock', [`0x${block.toString('hex')}`])).error).toMatchObject(refused);
});
