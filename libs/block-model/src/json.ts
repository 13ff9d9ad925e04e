import type { Block, Withdrawal } from './block.ts';
import type { Header } from './header.ts';
import { quantity } from './hex.ts';
import { depositToJson } from './op-stack/deposit.ts';
import type { Receipt } from './receipt.ts';
import { senderOf, yParityOf } from './sender.ts';
import type { Transaction } from './transaction.ts';

/** A JSON object in a JSON-RPC response. */
export type Json = Readonly<Record<string, unknown>>;

export interface BlockJsonOptions {
  /** Print transactions as objects instead of hashes. */
  readonly full: boolean;
  /** Sum of the difficulties up to and including the block. Omitted when undefined. */
  readonly totalDifficulty?: bigint | undefined;
  /** Receipts of the block. Full deposits of the OP stack need them: their nonces are in their receipts. */
  readonly receipts?: readonly Receipt[] | undefined;
}

/** Converts a block to the result of eth_getBlockByHash (execution-apis, Block object). */
export function blockToJson(block: Block, { full, totalDifficulty, receipts }: BlockJsonOptions): Json {
  const { header, transactions, uncles, withdrawals, size } = block;
  return {
    ...headerToJson(header),
    size: quantity(size),
    ...(totalDifficulty !== undefined && { totalDifficulty: quantity(totalDifficulty) }),
    transactions: full
      ? transactions.map((transaction, index) =>
          transactionToJson(transaction, { header, index, receipt: receipts?.[index] }),
        )
      : transactions.map(({ hash }) => hash),
    uncles: uncles.map(({ hash }) => hash),
    ...(withdrawals && { withdrawals: withdrawals.map(withdrawalToJson) }),
  };
}

/** Converts the fields of a header to JSON. */
export function headerToJson(header: Header): Json {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header;
  return {
    hash: header.hash,
    parentHash: header.parentHash,
    sha3Uncles: header.unclesHash,
    miner: header.miner,
    stateRoot: header.stateRoot,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    difficulty: quantity(header.difficulty),
    number: quantity(header.number),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: header.extraData,
    mixHash: header.mixHash,
    nonce: header.nonce,
    ...(baseFeePerGas !== undefined && { baseFeePerGas: quantity(baseFeePerGas) }),
    ...(withdrawalsRoot !== undefined && { withdrawalsRoot }),
    ...(blobGasUsed !== undefined && { blobGasUsed: quantity(blobGasUsed) }),
    ...(excessBlobGas !== undefined && { excessBlobGas: quantity(excessBlobGas) }),
    ...(parentBeaconBlockRoot !== undefined && { parentBeaconBlockRoot }),
    ...(requestsHash !== undefined && { requestsHash }),
  };
}

function withdrawalToJson({ index, validatorIndex, address, amount }: Withdrawal): Json {
  return { index: quantity(index), validatorIndex: quantity(validatorIndex), address, amount: quantity(amount) };
}

/** Block and index of a mined transaction. */
export interface TransactionPlace {
  readonly header: Header;
  readonly index: number;
  /** Receipt of the transaction; read for deposits of the OP stack only. */
  readonly receipt?: Receipt | undefined;
}

/** Converts a transaction to the result of eth_getTransactionByHash. Without a place, it is pending. */
export function transactionToJson(transaction: Transaction, place?: TransactionPlace): Json {
  if (transaction.given !== undefined) return transaction.given;
  const { type, chainId, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, accessList, blobVersionedHashes } =
    transaction;
  const yParity = quantity(yParityOf(transaction));
  return {
    ...placeJson(place),
    type: quantity(type),
    hash: transaction.hash,
    from: senderOf(transaction),
    to: transaction.to,
    nonce: quantity(transaction.nonce),
    gas: quantity(transaction.gas),
    gasPrice: quantity(
      place === undefined
        ? (transaction.gasPrice ?? maxFeePerGas ?? 0n)
        : effectiveGasPrice(transaction, place.header.baseFeePerGas ?? 0n),
    ),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: quantity(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: quantity(maxPriorityFeePerGas) }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: quantity(maxFeePerBlobGas) }),
    value: quantity(transaction.value),
    input: transaction.input,
    ...(accessList && { accessList }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...authorizationListJson(transaction),
    ...(chainId !== undefined && { chainId: quantity(chainId) }),
    v: quantity(transaction.v),
    r: quantity(transaction.r),
    s: quantity(transaction.s),
    ...(transaction.deposit ? depositToJson(transaction.deposit, place?.receipt) : type !== 0 && { yParity }),
  };
}

/** Fields of the block of a transaction, as geth has them. */
function placeJson(place: TransactionPlace | undefined): Json {
  if (place === undefined) return { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null };
  const { header, index } = place;
  return {
    blockHash: header.hash,
    blockNumber: quantity(header.number),
    blockTimestamp: quantity(header.timestamp),
    transactionIndex: quantity(index),
  };
}

function authorizationListJson({ authorizationList }: Transaction): Json {
  if (authorizationList === undefined) return {};
  return {
    authorizationList: authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
      chainId: quantity(chainId),
      address,
      nonce: quantity(nonce),
      yParity: quantity(yParity),
      r: quantity(r),
      s: quantity(s),
    })),
  };
}

/** Returns the wei per gas that a transaction pays in a block with the given base fee (EIP-1559). */
export function effectiveGasPrice(
  { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: Transaction,
  baseFeePerGas: bigint,
): bigint {
  if (gasPrice !== undefined) return gasPrice;
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  return offered < maxFeePerGas ? offered : maxFeePerGas;
}
