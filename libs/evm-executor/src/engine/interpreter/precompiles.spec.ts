import { type Hex, hexFromBytes } from '@cairn/block-model';
import { EVM, EVMMockBlockchain, getActivePrecompiles, NobleBN254 } from '@ethereumjs/evm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { forkRules } from '../../fork-rules.ts';
import { specAt, testForks } from '../../test-chain.fixture.ts';
import { EthereumjsState } from '../ethereumjs-state.ts';
import { Precompiles } from './precompiles.ts';

const rules = forkRules(specAt('prague', { chainId: 1 }), { number: 1n, timestamp: 1000n });
const precompiles = new Precompiles(rules);
const unchanged = { removed: new Set<Hex>(), moved: new Map<Hex, Hex>() };
const evm = new EVM({
  common: rules.common,
  stateManager: new EthereumjsState(),
  blockchain: new EVMMockBlockchain(),
  bn254: new NobleBN254(),
});

async function results(number: number, data: Uint8Array, gas: number) {
  const address = `0x${number.toString(16).padStart(40, '0')}` as const;
  const call = evm.precompiles.get(address.slice(2));
  const own = precompiles.at(Buffer.from(address.slice(2), 'hex'), unchanged);
  if (call === undefined || own === undefined) throw new Error(`nothing at ${address}`);
  const theirs = await call({ data, gasLimit: BigInt(gas), common: evm.common, _EVM: evm });
  const ours = await own.run(data, gas);
  const isFault = theirs.exceptionError !== undefined;
  return [
    { isFault: ours.fault !== undefined, gasUsed: ours.gasUsed, output: hexFromBytes(ours.output) },
    {
      isFault,
      gasUsed: isFault ? 0 : Number(theirs.executionGasUsed),
      output: isFault ? '0x' : hexFromBytes(theirs.returnValue),
    },
  ];
}

/** An input of EIP-152 with some rounds. */
function blake2Input(rounds: number, rest: Uint8Array, flag: number): Uint8Array {
  const input = Buffer.alloc(213);
  input.writeUInt32BE(rounds);
  input.set(rest, 4);
  input[212] = flag;
  return input;
}

test.each(testForks)('the precompiles of %s are those of @ethereumjs/evm', (fork) => {
  const { common, precompiles } = forkRules(specAt(fork, { chainId: 1 }), { number: 1n, timestamp: 1000n });
  expect([...precompiles].sort()).toEqual([...getActivePrecompiles(common).keys()].map((key) => `0x${key}`).sort());
});

describe('own precompiles are those of @ethereumjs/evm', () => {
  test.each([1, 2, 4, 9])('%i, whatever comes in', async (number) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(5000), async (data, gas) => {
        const [ours, theirs] = await results(number, data, gas);
        expect(ours).toEqual(theirs);
      }),
    );
  });

  test('9, BLAKE2F, with inputs of its own', async () => {
    const rest = fc.uint8Array({ minLength: 208, maxLength: 208 });
    await fc.assert(
      fc.asyncProperty(fc.nat(60), rest, fc.integer({ min: 0, max: 2 }), async (rounds, rest, flag) => {
        const [ours, theirs] = await results(9, blake2Input(rounds, rest, flag), 50);
        expect(ours).toEqual(theirs);
      }),
    );
    // More than it takes in one go.
    const [ours, theirs] = await results(9, blake2Input(40_013, new Uint8Array(208).fill(7), 1), 50_000);
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject({ isFault: false, gasUsed: 40_013 });
  });
});
