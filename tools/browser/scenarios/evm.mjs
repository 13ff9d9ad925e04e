import { bytesFromHex, knownChainSpec } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createInterpreterEngine, forkRules, opcodes, StateCache, WorldState } from '@cairn/evm';
import { digits } from './tools.mjs';

const contract = '0x00000000000000000000000000000000000000c0';
/** Multiplies, stores to slot 0, hashes memory, and returns the hash. */
const code = '0x6007600602600055602060002060005260206000f3';
const noEngine = { name: 'none', run: () => Promise.reject(new Error('No other engine runs here.')) };

export async function run({ places }) {
  const spec = knownChainSpec('main', 'mainnet');
  const engine = createInterpreterEngine(noEngine);
  const outcomes = [];
  for (const [number, timestamp] of places) {
    const place = { number: BigInt(number), timestamp: BigInt(timestamp) };
    const rules = forkRules(spec, place);
    const { kind, gasUsed, output } = await engine.run({
      rules,
      block: {
        ...place,
        gasLimit: 60_000_000n,
        coinbase: contract,
        difficulty: 0n,
        prevRandao: `0x${'00'.repeat(32)}`,
      },
      world: new WorldState(StateCache.of(createMemoryState({ [contract]: { code } }))),
      blockHash: () => undefined,
      sender: new Uint8Array(20),
      to: bytesFromHex(contract),
      value: 0n,
      data: new Uint8Array(0),
      gas: 100_000n,
      gasPrice: 0n,
      blobVersionedHashes: [],
      warm: [],
      precompiles: { removed: new Set(), moved: new Map() },
    });
    outcomes.push([rules.hardfork, rules.precompiles.length, kind, String(gasUsed), digits(output)]);
  }
  return { outcomes, names: opcodes.map(({ name }) => name).join() };
}
