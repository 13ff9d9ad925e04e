// A chain whose blocks need no EVM: each has one transaction with one log, and one withdrawal that credits an account.
import {
  type AccountChange,
  type BlockRunner,
  bytesFromHex,
  type ChainReader,
  decodeTransaction,
  encodeBlock,
  encodeTransaction,
  type Hex,
  hexFromBytes,
  keccak256,
  logsBloomOf,
  makeHeader,
  nextBaseFee,
  type Receipt,
  receiptsRoot,
  type StateReader,
  transactionsRoot,
  unclesHash,
  type Withdrawal,
  withdrawalsRoot,
} from '@cairn/block-model';

const weiPerGwei = 1_000_000_000n;
const gasPerTransaction = 21_000n;
const noCode = keccak256(new Uint8Array(0));
const zeroAddress: Hex = `0x${'00'.repeat(20)}`;
const zeroHash: Hex = `0x${'00'.repeat(32)}`;
const forks =
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul muirGlacier berlin london mergeNetsplit';

/** Address that withdrawals credit and that emits the logs. */
export const credited: Hex = `0x${'c4'.repeat(20)}`;

/** Genesis file of the chain in geth's format, with every fork up to Shanghai. */
export const creditGenesis = {
  config: {
    chainId: 4242,
    ...Object.fromEntries(forks.split(' ').map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
    shanghaiTime: 0,
  },
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  mixHash: zeroHash,
  coinbase: zeroAddress,
  baseFeePerGas: '0x3b9aca00',
  alloc: { [`0x${'a0'.repeat(20)}`]: { balance: '0x1' } },
};

/** Topic of the log of a block with this credit. */
export function topicOf(gwei: bigint): Hex {
  return `0x${gwei.toString(16).padStart(64, '0')}`;
}

function receiptOf(gwei: bigint): Receipt {
  const logs = [{ address: credited, topics: [topicOf(gwei)], data: '0x' as const }];
  return { type: 0, status: true, cumulativeGasUsed: gasPerTransaction, logsBloom: logsBloomOf(logs), logs };
}

function creditOf(state: StateReader, gwei: bigint): AccountChange[] {
  const address = bytesFromHex(credited);
  const before = state.getAccount(address) ?? { nonce: 0n, balance: 0n };
  const account = { nonce: before.nonce, balance: before.balance + gwei * weiPerGwei, codeHash: noCode };
  return [{ address, account, isStorageCleared: false, slots: [] }];
}

/** Runs blocks of {@link creditBlock}. */
export const creditRunner: BlockRunner = {
  name: 'credits',
  async run({ block, state, roots }) {
    const gwei = block.withdrawals?.[0]?.amount ?? 0n;
    return { receipts: [receiptOf(gwei)], stateRoot: hexFromBytes(await roots.after(creditOf(state, gwei))) };
  },
};

/** Creates a child of a stored block that credits an amount in gwei. */
export async function creditBlock(
  store: Pick<ChainReader, 'header' | 'stateAt' | 'stateRoots'>,
  parentHash: Hex,
  gwei: bigint,
): Promise<{ readonly hash: Hex; readonly transaction: Hex; readonly raw: Uint8Array }> {
  const parent = store.header(parentHash);
  const state = store.stateAt(parentHash);
  const roots = store.stateRoots(parentHash);
  if (!parent || !state || !roots) throw new Error(`The store has no block ${parentHash} with a state.`);
  const fields = { chainId: 4242n, nonce: gwei, gas: gasPerTransaction, gasPrice: weiPerGwei, to: credited };
  const signature = { v: 8519n, r: 1n, s: 1n };
  const transactions = [
    decodeTransaction(encodeTransaction({ type: 0, ...fields, value: 0n, input: '0x', ...signature })),
  ];
  const withdrawals: Withdrawal[] = [{ index: parent.number, validatorIndex: 0n, address: credited, amount: gwei }];
  const receipt = receiptOf(gwei);
  const baseFeePerGas = nextBaseFee(parent);
  const header = makeHeader({
    parentHash,
    unclesHash: unclesHash([]),
    miner: zeroAddress,
    stateRoot: hexFromBytes(await roots.after(creditOf(state, gwei))),
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: receiptsRoot([receipt]),
    logsBloom: receipt.logsBloom,
    difficulty: 0n,
    number: parent.number + 1n,
    gasLimit: parent.gasLimit,
    gasUsed: gasPerTransaction,
    timestamp: parent.timestamp + 12n,
    extraData: '0x',
    mixHash: zeroHash,
    nonce: '0x0000000000000000',
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
    withdrawalsRoot: withdrawalsRoot(withdrawals),
  });
  const raw = encodeBlock({ header, transactions, uncles: [], withdrawals });
  return { hash: header.hash, transaction: transactions[0]?.hash ?? '0x', raw };
}
