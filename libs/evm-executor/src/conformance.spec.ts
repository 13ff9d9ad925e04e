import { type ChainSpec, type Header } from '@cairn/block-model';
import {
  createMemoryState,
  hasConformanceCases,
  type RecordedExchange,
  recordedExchanges,
} from '@cairn/block-model/testing';
import { isCairnError } from '@cairn/errors';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { executeCall } from './execute-call.ts';
import { parseCallRequest } from './parse-call-request.ts';
import { parseBlockOverrides, parseStateOverrides } from './parse-overrides.ts';
import { readRecordedChain } from './recorded-chain.fixture.ts';

/** Cases about parameters that the gateway parses: block id and parameter list. */
const ofTheGateway = /^(block-(?!safe|earliest)|args-none|state-historical)/;
const isHere = hasConformanceCases;
const title = isHere ? 'recorded calls' : 'recorded calls (skipped: ../shared/conformance is not here)';

describe(title, () => {
  let chain: { spec: ChainSpec; headers: Header[]; states: ReturnType<typeof createMemoryState>[] };

  beforeAll(() => {
    if (!isHere) return;
    const { spec, blocks, genesis, head } = readRecordedChain();
    const states = [genesis, head].map((accounts) => createMemoryState(accounts));
    chain = { spec, headers: blocks.map(({ header }) => header), states };
  });

  /** BLS12-381 is slow in JavaScript: every eighth of its many successful vectors runs here. */
  const isSampledOut = ({ name }: RecordedExchange, index: number) => /^precompile-bls/.test(name) && index % 8 !== 0;
  const cases = (folder: string) =>
    isHere ? recordedExchanges(folder).filter((c, index) => !ofTheGateway.test(c.name) && !isSampledOut(c, index)) : [];
  const folders = ['execution-apis/eth_call', 'eth-call-rules/eth_call', 'eth-call-precompiles/eth_call'];

  for (const folder of folders) {
    (isHere ? test : test.skip)(
      folder,
      async () => {
        const exchanges = cases(folder);
        expect(exchanges.length).toBeGreaterThan(2);
        expect(await faultsOf(exchanges)).toEqual([]);
      },
      300_000,
    );
  }

  (isHere ? test : test.skip)('a wrong answer is found', async () => {
    const [first] = cases('execution-apis/eth_call');
    if (first === undefined) throw new Error('no case');
    expect(await faultsOf([{ ...first, response: { result: '0x00' } }])).toEqual([expect.stringContaining(first.name)]);
  });

  async function faultsOf(exchanges: readonly RecordedExchange[]): Promise<string[]> {
    const faults: string[] = [];
    for (const exchange of exchanges) {
      const actual = await answer(exchange);
      const expected = exchange.response.result ?? withoutWords(exchange.response.error);
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        faults.push(`${exchange.name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
      }
    }
    return faults;
  }

  async function answer({ request }: RecordedExchange): Promise<unknown> {
    const [call, block, state, overrides] = request.params;
    const { headers, states, spec } = chain;
    const head = headers.length;
    const number = block === 'earliest' ? 0 : String(block).startsWith('0x') ? Number(block) : head;
    // The file lacks the genesis block, whose calls read the block number only. Calls on old blocks override the code.
    const header = number === 0 ? { ...at(headers, 0), number: 0n, timestamp: 0n } : at(headers, number - 1);
    try {
      const result = await executeCall({
        spec,
        header,
        state: at(states, number === head ? 1 : 0),
        blockHashes: (wanted) => headers[Number(wanted) - 1]?.hash,
        call: parseCallRequest(call),
        ...(state !== undefined && { stateOverrides: parseStateOverrides(state) }),
        ...(overrides !== undefined && { blockOverrides: parseBlockOverrides(overrides) }),
      });
      if (result.kind === 'success') return result.output;
      if (result.kind === 'halt') return { code: -32000 };
      return { code: 3, message: result.message, data: result.data };
    } catch (error) {
      if (isCairnError(error, 'VALUE_INVALID')) return { code: -32602 };
      if (isCairnError(error)) return { code: -32000 };
      throw error;
    }
  }
});

/** Compares messages for reverts only, as the suite's own replay does. */
function withoutWords(error: RecordedExchange['response']['error']) {
  return error?.code === 3 ? { code: 3, message: error.message, data: error.data } : { code: error?.code };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index} of ${items.length}`);
  return item;
}
