import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, conformance, type Gateway, startGateway } from './gateway.ts';

const chain = join(conformance, 'execution-apis');
const isThere = existsSync(join(chain, 'chain.rlp'));
if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

// biome-ignore lint/suspicious/noExplicitAny: traces have many forms.
type Trace = any;

(isThere ? describe : describe.skip)('trace methods on the 54-block chain', () => {
  let gateway: Gateway | undefined;
  let head = 0;
  beforeAll(async () => {
    const files = { genesis: join(chain, 'genesis.json'), blocks: [join(chain, 'chain.rlp')] };
    gateway = await startGateway({
      networks: [{ name: 'execution-apis', hosts: ['*'], requireFrom: false, ...files }],
    });
    head = Number((await ask('eth_blockNumber')).result);
  });
  afterAll(() => gateway?.stop());
  const ask = (method: string, params: readonly unknown[] = []): Promise<Answer> =>
    call(gateway?.url ?? '', method, params);
  const result = async (method: string, params: readonly unknown[] = []): Promise<Trace> =>
    (await ask(method, params)).result;
  const quantity = (number: number) => `0x${number.toString(16)}`;
  /** Records of all blocks in order. */
  async function everyRecord(): Promise<Trace[]> {
    const all: Trace[] = [];
    for (let number = 1; number <= head; number++) all.push(...(await result('trace_block', [quantity(number)])));
    return all;
  }

  test('agree with flatCallTracer about calls, their order and their gas', async () => {
    const config = { tracer: 'flatCallTracer', tracerConfig: { includePrecompiles: false } };
    let compared = 0;
    for (let number = 1; number <= head; number++) {
      const block: Trace[] = await result('trace_block', [quantity(number)]);
      const traced: Trace[] = await result('debug_traceBlockByNumber', [quantity(number), config]);
      const theirs = traced.flatMap(({ result: list }) => list);
      const mine = block.filter(({ type }) => type !== 'reward');
      expect(mine.map(comparable)).toEqual(theirs.map(comparable));
      compared += mine.length;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('of a block, a transaction and a path contain the same records', async () => {
    const all = await everyRecord();
    const hashes = [...new Set(all.map(({ transactionHash }) => transactionHash))].filter((hash) => hash !== null);
    const deepest = all.reduce((one, other) => (other.traceAddress.length > one.traceAddress.length ? other : one));
    for (const hash of [...hashes.slice(0, 5), deepest.transactionHash]) {
      const own = all.filter(({ transactionHash }) => transactionHash === hash);
      expect(await result('trace_transaction', [hash])).toEqual(own);
    }
    const path = deepest.traceAddress.map(quantity);
    expect(await result('trace_get', [deepest.transactionHash, path])).toEqual(deepest);
    expect(await result('trace_get', [deepest.transactionHash, ['0x99']])).toBeNull();
  });

  test('of replays carry the transaction and the parts that are asked for', async () => {
    const types = ['trace', 'stateDiff', 'vmTrace'];
    for (let number = 1; number <= head; number += 7) {
      const replayed: Trace[] = await result('trace_replayBlockTransactions', [quantity(number), types]);
      const { transactions } = await result('eth_getBlockByNumber', [quantity(number), false]);
      expect(replayed.map(({ transactionHash }) => transactionHash)).toEqual(transactions);
      for (const each of replayed.slice(0, 2))
        expect(await result('trace_replayTransaction', [each.transactionHash, types])).toEqual(each);
    }
  });

  test('of a replay have state differences that balances and slots confirm', async () => {
    for (let number = 1; number <= head; number += 5) {
      const replayed: Trace[] = await result('trace_replayBlockTransactions', [quantity(number), ['stateDiff']]);
      // The last change of a field in the block is its value after the block, but for rewards and withdrawals.
      const after = new Map<string, Trace>();
      for (const { stateDiff } of replayed)
        for (const [address, diff] of Object.entries(stateDiff)) after.set(address, diff);
      for (const [address, { nonce, code, storage }] of after) {
        const [now, text] = [
          await result('eth_getTransactionCount', [address, quantity(number)]),
          await result('eth_getCode', [address, quantity(number)]),
        ];
        if (nonce !== '=') expect(now).toBe(nonce['*']?.to ?? nonce['+'] ?? '0x0');
        if (code !== '=') expect(text).toBe(code['*']?.to ?? code['+'] ?? '0x');
        for (const [slot, change] of Object.entries<Trace>(storage))
          expect(await result('eth_getStorageAt', [address, slot, quantity(number)])).toBe(
            change['*']?.to ?? change['+'],
          );
      }
    }
  });

  test('of calls see overrides, and later calls of a list see earlier ones', async () => {
    const [from, to] = [`0x${'a1'.repeat(20)}`, `0x${'c0'.repeat(20)}`];
    // Increments slot 0 and returns its previous value.
    const state = { [to]: { code: '0x5f548060010160005560005260206000f3' } };
    const one = await result('trace_call', [{ from, to }, ['trace', 'stateDiff'], 'latest', state]);
    expect(one).toMatchObject({ output: `0x${'00'.repeat(32)}`, vmTrace: null, trace: [{ type: 'call' }] });
    const pair = [{ from, to }, []];
    const many: Trace[] = await result('trace_callMany', [[pair, pair], 'latest', state]);
    expect(many.map(({ output }) => Number(output))).toEqual([0, 1]);
  });

  test('of signed transactions check the nonce', async () => {
    const { transactions } = await result('eth_getBlockByNumber', [quantity(1), false]);
    const raw = await result('debug_getRawTransaction', [transactions[0]]);
    expect((await ask('trace_rawTransaction', [raw, ['trace']])).error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^nonce too low/),
    });
  });

  describe('trace_filter', () => {
    const all = { fromBlock: '0x1', toBlock: 'latest' };
    const filter = (members: object) => result('trace_filter', [{ ...all, ...members }]);

    test('returns the records of the range in order', async () => {
      expect(await filter({})).toEqual(await everyRecord());
    });

    test('selects by sender or recipient, and by both', async () => {
      const records = await everyRecord();
      const { action } = records.find(({ type, action: { to } }) => type === 'call' && to !== undefined);
      const { from, to } = action;
      const isFrom = (each: Trace) => [each.action.from, each.type === 'suicide' && each.action.address].includes(from);
      const recipients = ({ action: { to: called, refundAddress, author }, result: ended }: Trace) => [
        called,
        refundAddress,
        author,
        ended?.address,
      ];
      const isTo = (each: Trace) => recipients(each).includes(to);
      expect(await filter({ fromAddress: [from] })).toEqual(records.filter(isFrom));
      expect(await filter({ toAddress: [to] })).toEqual(records.filter(isTo));
      const both = { fromAddress: [from], toAddress: [to] };
      expect(await filter(both)).toEqual(records.filter((each) => isFrom(each) || isTo(each)));
      expect(await filter({ ...both, mode: 'intersection' })).toEqual(
        records.filter((each) => isFrom(each) && isTo(each)),
      );
    });

    test('pages over blocks', async () => {
      const records = await everyRecord();
      const paged: Trace[] = [];
      for (let after = 0; after < records.length; after += 37) paged.push(...(await filter({ after, count: 37 })));
      expect(paged).toEqual(records);
      expect(await filter({ after: records.length })).toEqual([]);
      expect(await filter({ count: 0 })).toEqual([]);
    });

    test('refuses ranges that are reversed, in the future or too long, and names the allowed range', async () => {
      const error = async (members: object) => (await ask('trace_filter', [members])).error;
      expect(await error({ fromBlock: '0x3', toBlock: '0x2' })).toMatchObject({ code: -32602 });
      expect(await error({ toBlock: quantity(head + 1) })).toMatchObject({ code: -32602 });
      expect(await error({ fromBlock: 'pending' })).toMatchObject({ code: -32602 });
      expect(await error({ fromAdress: [] })).toMatchObject({ code: -32602 });
    });
  });

  test('of unknown places are null or an error, and the genesis has none', async () => {
    const unknown = `0x${'11'.repeat(32)}`;
    expect(await result('trace_transaction', [unknown])).toBeNull();
    expect(await result('trace_get', [unknown, []])).toBeNull();
    expect(await result('trace_replayTransaction', [unknown, []])).toBeNull();
    expect((await ask('trace_block', ['0xffff'])).error).toMatchObject({ code: -32000 });
    expect(await result('trace_block', ['0x0'])).toEqual([]);
    expect(await result('trace_block', ['pending'])).toEqual([]);
    expect((await ask('trace_call', [{}, ['trace'], 'pending'])).error).toMatchObject({ code: -32602 });
    expect((await ask('trace_call', [{}, ['logs']])).error).toMatchObject({ code: -32602 });
  });
});

/** Parts of a record that do not differ between the formats of geth and Parity. */
function comparable({
  action,
  type,
  traceAddress,
  subtraces,
  transactionHash,
  transactionPosition,
  blockHash,
  ...rest
}: Trace) {
  const { gas, ...parts } = action;
  const isOutermost = traceAddress.length === 0;
  return {
    ...parts,
    ...(!isOutermost && { gas }),
    type,
    traceAddress,
    subtraces,
    transactionHash,
    transactionPosition,
    blockHash,
    hasFailed: rest.error !== undefined,
    ...(!isOutermost && rest.error === undefined && { result: rest.result ?? undefined }),
  };
}
