import { keccak256 } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import type { Block } from './block.ts';
import type { ChainSpec } from './chain-spec.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes, quantity } from './hex.ts';
import { effectiveGasPrice, type Json } from './json.ts';
import { opReceiptFields } from './op-stack/l1-fees.ts';
import type { Receipt } from './receipt.ts';
import { senderOf } from './sender.ts';
import type { Transaction } from './transaction.ts';

/** A receipt and its block. */
export interface ReceiptPlace {
  readonly block: Pick<Block, 'header' | 'transactions'>;
  /** All receipts of the block, in order. */
  readonly receipts: readonly Receipt[];
  readonly index: number;
  /** Wei per unit of blob gas in the block; printed for blob transactions only. */
  readonly blobGasPrice?: bigint;
  /** Rules of the chain. Receipts of OP-stack chains need them: their forks decide on the formula of the L1 fee. */
  readonly spec?: ChainSpec | undefined;
}

/** Gas of one blob (EIP-4844). */
const gasPerBlob = 131_072;

/**
 * Converts the receipt at `index` to the result of eth_getTransactionReceipt (execution-apis, Receipt object).
 * @throws RangeError when the block has no transaction or receipt at `index`
 */
export function receiptToJson({ block, receipts, index, blobGasPrice, spec }: ReceiptPlace): Json {
  const { header } = block;
  const receipt = receipts[index];
  const transaction = block.transactions[index];
  if (!receipt || !transaction) throw new RangeError(`Block ${header.hash} has no receipt at index ${index}.`);
  if (receipt.given !== undefined) return receipt.given;
  const from = senderOf(transaction);
  const place = {
    blockHash: header.hash,
    blockNumber: quantity(header.number),
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
  };
  const logsBefore = receipts.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0);
  const logs = receipt.logs.map(({ address, topics, data }, at) => ({
    address,
    topics,
    data,
    ...place,
    blockTimestamp: quantity(header.timestamp),
    logIndex: quantity(logsBefore + at),
    removed: false,
  }));
  const blobs = transaction.blobVersionedHashes;
  return {
    ...place,
    type: quantity(receipt.type),
    from,
    to: transaction.to,
    contractAddress: createdBy(transaction, receipt),
    gasUsed: quantity(receipt.cumulativeGasUsed - (receipts[index - 1]?.cumulativeGasUsed ?? 0n)),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(effectiveGasPrice(transaction, header.baseFeePerGas ?? 0n)),
    ...(blobs && { blobGasUsed: quantity(blobs.length * gasPerBlob) }),
    ...(blobs && blobGasPrice !== undefined && { blobGasPrice: quantity(blobGasPrice) }),
    ...(receipt.root === undefined ? { status: receipt.status === true ? '0x1' : '0x0' } : { root: receipt.root }),
    logs,
    logsBloom: receipt.logsBloom,
    ...(spec && opReceiptFields(spec, { header, transactions: block.transactions }, transaction)),
    ...depositReceiptFields(receipt),
  };
}

function depositReceiptFields({ depositNonce, depositReceiptVersion }: Receipt): Json {
  if (depositNonce === undefined) return {};
  return {
    depositNonce: quantity(depositNonce),
    ...(depositReceiptVersion !== undefined && { depositReceiptVersion: quantity(depositReceiptVersion) }),
  };
}

/** The created contract; `null` for a call, and for a deposit before the Canyon fork, whose nonce is not proven. */
function createdBy(transaction: Transaction, { depositNonce }: Receipt): Hex | null {
  if (transaction.to !== null) return null;
  const nonce = transaction.deposit === undefined ? transaction.nonce : depositNonce;
  return nonce === undefined ? null : createdAddress(senderOf(transaction), nonce);
}

/** Returns the address of the contract that a transaction creates (Yellow Paper, section 7). */
function createdAddress(sender: Hex, nonce: bigint): Hex {
  return hexFromBytes(keccak256(encodeRlp([bytesFromHex(sender), bytesFromBigint(nonce)])).subarray(12));
}
