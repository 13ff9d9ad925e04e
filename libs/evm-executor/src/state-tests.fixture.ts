import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromHex, encodeRlp, type Hex, hexFromBytes, keccak256, type Log } from '@cairn/block-model';
import { conformanceDirectory, type MemoryAccount } from '@cairn/block-model/testing';
import { type AppliedMessage, applyMessage } from './apply-message.ts';
import { TrieState } from './block/trie-state.fixture.ts';
import { fakeExponential } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import type { CallEngine } from './engine/call-engine.ts';
import { forkRules } from './fork-rules.ts';
import { StateCache } from './state-cache.ts';
import { specAt } from './test-chain.fixture.ts';
import { WorldState } from './world-state.ts';

interface StateTest {
  readonly env: Readonly<Record<string, Hex>>;
  readonly pre: Readonly<Record<Hex, { nonce: Hex; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>>;
  readonly transaction: {
    readonly sender: Hex;
    readonly to: Hex | '';
    readonly data: readonly Hex[];
    readonly gasLimit: readonly Hex[];
    readonly value: readonly Hex[];
    readonly gasPrice?: Hex;
    readonly maxFeePerGas?: Hex;
    readonly maxPriorityFeePerGas?: Hex;
    readonly maxFeePerBlobGas?: Hex;
    readonly blobVersionedHashes?: readonly Hex[];
    readonly accessLists?: readonly (readonly { address: Hex; storageKeys: readonly Hex[] }[] | null)[];
  };
  readonly post: Readonly<
    Record<
      string,
      readonly {
        readonly hash: Hex;
        readonly logs: Hex;
        readonly expectException?: string;
        readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
      }[]
    >
  >;
}

/** One variant of a general state test (ethereum/tests) that is executed on Cancun. */
export interface StateTestCase {
  readonly name: string;
  /** State root and hash of the logs that a run must end with. */
  readonly expected: { readonly root: Hex; readonly logs: Hex };
  run(engine: CallEngine): Promise<StateTestResult>;
}

interface StateTestResult {
  readonly root: Hex;
  readonly logs: Hex;
  readonly applied: AppliedMessage;
}

/** The folders of the suite. */
export function stateTestFolders(): string[] {
  return readdirSync(directory).sort();
}

/** The cases of a folder, those apart whose transaction no node would start. */
export function stateTestCases(folder: string): StateTestCase[] {
  const files = readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const tests: Record<string, StateTest> = JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));
      return Object.entries(tests).flatMap(([name, test]) =>
        (test.post.Cancun ?? [])
          .filter(({ expectException }) => expectException === undefined)
          .map((post) => ({
            name: `${folder}/${name} ${post.indexes.data}/${post.indexes.gas}/${post.indexes.value}`,
            expected: { root: post.hash, logs: post.logs },
            run: (engine: CallEngine) => runCase(test, post.indexes, engine),
          })),
      );
    });
}

const directory = join(conformanceDirectory, 'state-tests');
/** Mainnet's rules at Cancun. */
const spec = specAt('cancun', { chainId: 1, cancunBlobs: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } });
const rules = forkRules(spec, { number: 1n, timestamp: 1000n });

async function runCase(
  { env, pre, transaction }: StateTest,
  { data, gas, value }: { readonly data: number; readonly gas: number; readonly value: number },
  engine: CallEngine,
): Promise<StateTestResult> {
  const accounts = Object.fromEntries(
    Object.entries(pre).map(([address, account]): [Hex, MemoryAccount] => [
      address as Hex,
      {
        nonce: BigInt(account.nonce),
        balance: BigInt(account.balance),
        ...(account.code !== '0x' && { code: account.code }),
        storage: Object.fromEntries(
          Object.entries(account.storage).map(([slot, word]) => [padded(slot as Hex), padded(word)]),
        ),
      },
    ]),
  );
  const { to, gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, blobVersionedHashes } = transaction;
  const accessList = transaction.accessLists?.[data];
  const call: CallRequest = {
    from: transaction.sender,
    ...(to !== '' && { to }),
    gas: BigInt(transaction.gasLimit[gas] ?? 0),
    value: BigInt(transaction.value[value] ?? 0),
    data: transaction.data[data] ?? '0x',
    ...(gasPrice !== undefined && { gasPrice: BigInt(gasPrice) }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: BigInt(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: BigInt(maxFeePerBlobGas) }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...(accessList && {
      accessList: accessList.map((entry) => ({ ...entry, storageKeys: entry.storageKeys.map(padded) })),
    }),
  };
  const state = await TrieState.of(accounts);
  const world = new WorldState(StateCache.of(state.view()));
  const excess = BigInt(env.currentExcessBlobGas ?? 0);
  const applied = await applyMessage(
    {
      rules,
      block: {
        number: BigInt(env.currentNumber ?? 1),
        timestamp: BigInt(env.currentTimestamp ?? 1000),
        gasLimit: BigInt(env.currentGasLimit ?? 0),
        coinbase: env.currentCoinbase ?? '0x',
        difficulty: 0n,
        prevRandao: padded(env.currentRandom ?? '0x0'),
        baseFeePerGas: BigInt(env.currentBaseFee ?? 0),
        blobBaseFee: fakeExponential(1n, excess, rules.blobFeeUpdateFraction),
      },
      world,
      engine,
      // The suite's own rule for blocks that are not there.
      blockHash: (number) => hexFromBytes(keccak256(Buffer.from(number.toString()))),
      precompiles: { removed: new Set(), moved: new Map() },
    },
    call,
    { gasLimit: call.gas ?? 0n, checks: { paysBaseFee: true }, hidesPrices: false },
  );
  const root = hexFromBytes(await state.after(world.takeChanges()));
  return { root, logs: logsHash(applied.outcome.logs), applied };
}

function logsHash(logs: readonly Log[]): Hex {
  const items = logs.map(({ address, topics, data }) => [
    bytesFromHex(address),
    topics.map(bytesFromHex),
    bytesFromHex(data),
  ]);
  return hexFromBytes(keccak256(encodeRlp(items)));
}

function padded(word: Hex): Hex {
  return `0x${word.slice(2).padStart(64, '0')}`;
}
