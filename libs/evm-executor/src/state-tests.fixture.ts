import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromHex, encodeRlp, type Hex, hexFromBytes, keccak256, type Log } from '@cairn/block-model';
import { conformanceDirectory, type MemoryAccount } from '@cairn/block-model/testing';
import type { CallEngine } from '@cairn/evm';
import { forkRules, StateCache, WorldState } from '@cairn/evm';
import { type AppliedMessage, applyMessage } from './apply-message.ts';
import { TrieState } from './block/trie-state.fixture.ts';
import { fakeExponential } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import { specAt } from './test-chain.fixture.ts';

interface StateTest {
  readonly env: Readonly<Record<string, Hex>>;
  readonly pre: Readonly<Record<Hex, { nonce: Hex; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>>;
  readonly transaction: {
    readonly sender: Hex;
    readonly nonce: Hex;
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

/** One variant of a general state test (ethereum/tests) for Cancun. */
export interface StateTestCase {
  readonly name: string;
  /** Expected state root and hash of the logs. */
  readonly expected: { readonly root: Hex; readonly logs: Hex };
  /** Error codes, one of which is expected instead of a result. */
  readonly refusals: readonly string[] | undefined;
  /** @throws CALL_*, and EXECUTION_TIMEOUT after {@link caseMsMax} */
  run(engine: CallEngine): Promise<StateTestResult>;
}

/** Time limit of a case. Some cases would run for hours; they end with EXECUTION_TIMEOUT. */
const caseMsMax = 20_000;

/** Error codes by the names that the suite gives to refusals. */
const refusals: Readonly<Record<string, readonly string[]>> = {
  GAS_ALLOWANCE_EXCEEDED: ['CALL_BLOCK_GAS_EXCEEDED'],
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: ['CALL_FUNDS_INSUFFICIENT'],
  INITCODE_SIZE_EXCEEDED: ['CALL_INITCODE_TOO_LARGE'],
  INSUFFICIENT_ACCOUNT_FUNDS: ['CALL_FUNDS_INSUFFICIENT'],
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: ['CALL_BLOBS_INVALID'],
  INSUFFICIENT_MAX_FEE_PER_GAS: ['CALL_FEE_BELOW_BASE'],
  INTRINSIC_GAS_TOO_LOW: ['CALL_GAS_TOO_LOW', 'CALL_GAS_BELOW_FLOOR'],
  NONCE_IS_MAX: ['CALL_NONCE_SPENT'],
  NONCE_MISMATCH_TOO_HIGH: ['CALL_NONCE_TOO_HIGH'],
  NONCE_MISMATCH_TOO_LOW: ['CALL_NONCE_TOO_LOW'],
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS: ['CALL_FEE_INVALID'],
  RLP_INVALID_VALUE: ['CALL_FUNDS_INSUFFICIENT'],
  SENDER_NOT_EOA: ['CALL_SENDER_HAS_CODE'],
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: ['CALL_BLOBS_INVALID'],
  TYPE_3_TX_CONTRACT_CREATION: ['CALL_BLOBS_INVALID'],
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: ['CALL_BLOBS_INVALID'],
  TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED: ['CALL_BLOBS_INVALID'],
  TYPE_3_TX_ZERO_BLOBS: ['CALL_BLOBS_INVALID'],
};

/** Error codes for a text such as `TransactionException.A|TransactionException.B`. */
function refusalsOf(exception: string | undefined): readonly string[] | undefined {
  return exception?.split('|').flatMap((name) => {
    const codes = refusals[name.replace(/^\w+\./, '')];
    if (codes === undefined) throw new Error(`The reason ${name} has no code.`);
    return codes;
  });
}

interface StateTestResult {
  readonly root: Hex;
  readonly logs: Hex;
  readonly applied: AppliedMessage;
}

/** Folders of the suite. */
export function stateTestFolders(): string[] {
  return readdirSync(directory).sort();
}

/** Cases of a folder. */
export function stateTestCases(folder: string): StateTestCase[] {
  const files = readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const tests: Record<string, StateTest> = JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));
      return Object.entries(tests).flatMap(([name, test]) =>
        (test.post.Cancun ?? []).map((post) => ({
          name: `${folder}/${name} ${post.indexes.data}/${post.indexes.gas}/${post.indexes.value}`,
          expected: { root: post.hash, logs: post.logs },
          refusals: refusalsOf(post.expectException),
          run: (engine: CallEngine) => runCase(test, post.indexes, engine),
        })),
      );
    });
}

const directory = join(conformanceDirectory, 'state-tests');
/** Rules of mainnet at Cancun. */
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
    nonce: BigInt(transaction.nonce),
    // The suite marks values of more than 256 bits.
    value: BigInt((transaction.value[value] ?? '0x0').replace('0x:bigint ', '')),
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
      // Rule of the suite for hashes of missing blocks.
      blockHash: (number) => hexFromBytes(keccak256(Buffer.from(number.toString()))),
      precompiles: { removed: new Set(), moved: new Map() },
    },
    call,
    {
      gasLimit: call.gas ?? 0n,
      checks: {
        paysBaseFee: true,
        followsNonce: true,
        transaction: {
          senderCode: world.getCode(bytesFromHex(transaction.sender)),
          blockGasLeft: BigInt(env.currentGasLimit ?? 0),
          blobsLeft: rules.blobsMax,
        },
      },
      hidesPrices: false,
      deadline: { at: performance.now() + caseMsMax, timeoutMs: caseMsMax },
    },
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
