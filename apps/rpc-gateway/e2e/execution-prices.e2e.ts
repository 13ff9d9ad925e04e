import { join } from 'node:path';
import { openLmdbPlanStore, parsePlan } from '@cairn/metering';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, createHome, type Gateway, post, startGateway, until, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const from = sample.accounts.alice;
const { address } = sample.contracts.Loops;
/** Calls itself repeatedly in each frame, and exhausts any gas that a call can have. */
const endlessCode = { [address]: { code: '0x5b5f5f5f5f5f305af1505f56' } };
const timeoutMs = 3_000;
/** Credits of the time limit: 5 per millisecond. */
const limitCredits = 5 * timeoutMs;
/** Credits per day of each account, which are part of its name. */
const plans = {
  a700: 700,
  a900: 900,
  a2000: 2_000,
  a2900: 2_900,
  a4000: 4_000,
  a25000: 25_000,
  b25000: 25_000,
  c25000: 25_000,
  d25000: 25_000,
};

let gateway: Gateway;
beforeAll(async () => {
  const home = await createHome();
  const store = await openLmdbPlanStore({ directory: join(home, 'accounts') });
  for (const [name, creditsPerDay] of Object.entries(plans)) await store.put(parsePlan({ name, creditsPerDay }));
  await store.close();
  await withAuth(home, async (auth) => {
    for (const name of Object.keys(plans)) {
      await auth.createAccount({ name, plan: name });
      await auth.createKey(name, { id: name });
    }
  });
  const env = { CAIRN_CALL_TIMEOUT_MS: `${timeoutMs}` };
  gateway = await startGateway({ home, networks: [{ ...sampleEntry, requireFrom: false }], env });
});
afterAll(() => gateway?.stop());

type Account = keyof typeof plans;

/** Calls a method with the key of an account. */
async function ask(account: Account, method: string, params: readonly unknown[] = []) {
  const url = gateway.url.replace(/[^/]+$/, account);
  const response = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const [, left] = /"credits";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '') ?? [];
  return { answer: (await response.json()) as Answer, left: Number(left) };
}

/** Remaining credits of an account after its executions have ended. */
const left = async (account: Account) => (await ask(account, 'eth_chainId')).left;

const refused = { code: -32005, data: { limit: 'creditsPerDay' } };
/** A gap of 64 blocks: the sample network ends at block 24. */
const simulation = [{ blockStateCalls: [{ blockOverrides: { number: '0x58' }, calls: [] }] }, 'latest'];
const trace = (more: object = {}) => [{ from, to: address }, 'latest', { tracer: 'callTracer', ...more }];

describe('eth_simulateV1', () => {
  test('charges for blocks, including those in gaps, before execution', async () => {
    // 200, and 10 per block.
    expect((await ask('a700', 'eth_simulateV1', simulation)).answer.error).toMatchObject(refused);
    expect(await left('a700')).toBeGreaterThan(400);
    expect((await ask('a900', 'eth_simulateV1', simulation)).answer.result).toHaveLength(64);
    expect(await left('a900')).toBeLessThanOrEqual(900 - 840);
  });

  test('charges for calls', async () => {
    const calls = Array(1_000).fill({ from, to: from });
    const blocks = [{ blockStateCalls: [{ calls }] }, 'latest'];
    // 200, 10 for the block, 2 per call, and 1 per 10,000 gas; each call uses 21,000 gas.
    expect((await ask('a4000', 'eth_simulateV1', blocks)).answer.result).toHaveLength(1);
    expect(await left('a4000')).toBe(0);
    expect((await ask('a4000', 'eth_simulateV1', blocks)).answer.error).toMatchObject(refused);
  });
});

test('eth_getProof charges per slot and returns the same proofs as for single slots', async () => {
  const token = sample.contracts.Token.address;
  const slots = Array.from({ length: 1_024 }, (_, slot) => `0x${slot.toString(16)}`);
  // 20, and 1 for each slot beyond 32.
  expect((await ask('a900', 'eth_getProof', [token, slots, 'latest'])).answer.error).toMatchObject(refused);
  const { result } = (await ask('b25000', 'eth_getProof', [token, slots, 'latest'])).answer;
  const { storageProof, ...account } = result as { readonly storageProof: readonly unknown[] };
  expect(storageProof).toHaveLength(1_024);
  const few = [0, 1, 2, 1_023].map((slot) => slots[slot]);
  const single = (await ask('b25000', 'eth_getProof', [token, few, 'latest'])).answer.result;
  expect(single).toEqual({ ...account, storageProof: [0, 1, 2, 1_023].map((slot) => storageProof[slot]) });
});

describe('executions that are charged by time', () => {
  test.each([
    ['debug_traceCall', trace()],
    ['debug_traceBlockByNumber', ['0x1']],
    ['eth_createAccessList', [{ from, to: address }, 'latest']],
    ['debug_executionWitness', ['0x1']],
    ['debug_storageRangeAt', ['0x2', 0, sample.contracts.Token.address, '0x', 10]],
    ['debug_getModifiedAccountsByNumber', [1, 2]],
  ])('%s requires the credits of its time limit and returns unused ones', async (method, params) => {
    expect((await ask('a2000', method, params)).answer.error).toMatchObject(refused);
    const { answer } = await ask('a25000', method, params);
    expect(answer.error).toBeUndefined();
    expect(await left('a25000')).toBeGreaterThan(10_000);
  });

  test('a trace with its own timeout requires only the credits of that timeout', async () => {
    expect((await ask('a2900', 'debug_traceCall', trace({ timeout: '1s' }))).answer.error).toMatchObject(refused);
    expect((await ask('b25000', 'debug_traceCall', trace({ timeout: '100ms' }))).answer.error).toBeUndefined();
  });

  test('a trace that reaches its time limit is charged, so that a retry is not free', async () => {
    const endless = trace({ stateOverrides: endlessCode });
    const { error } = (await ask('c25000', 'debug_traceCall', endless)).answer;
    // On a busy machine the pool may end the worker before its trace does.
    const message = expect.stringMatching(/execution (timeout|aborted \(timeout = 3s\))/);
    expect(error).toMatchObject({ code: -32000, message });
    expect(await left('c25000')).toBeLessThanOrEqual(plans.c25000 - limitCredits);
    expect((await ask('c25000', 'debug_traceCall', endless)).answer.error).toMatchObject(refused);
  });
});

test('a call that reaches its time limit, or whose client disconnects, is charged by time', async () => {
  const endless = [{ from, to: address, gas: '0xffffffffffff' }, 'latest', endlessCode];
  const { error } = (await ask('d25000', 'eth_call', endless)).answer;
  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('execution aborted (timeout = 3s)') });
  const after = await left('d25000');
  expect(after).toBeLessThanOrEqual(plans.d25000 - limitCredits);
  const controller = new AbortController();
  const url = gateway.url.replace(/[^/]+$/, 'd25000');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: endless });
  const asked = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: controller.signal,
  });
  // The call starts before its client disconnects, also on a busy machine, and would take 3 s.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  controller.abort();
  await expect(asked).rejects.toThrow();
  // More than the price of the methods.
  await until(async () => (await left('d25000')) < after - 200, 'the charge of the abandoned call');
});
