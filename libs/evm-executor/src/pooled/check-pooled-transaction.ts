import {
  bytesFromHex,
  type Hex,
  type PooledTransaction,
  senderOf,
  type Transaction,
  yParityOf,
} from '@cairn/block-model';
import type { ForkRules } from '@cairn/evm';
import { halfCurveOrder } from '../block/check-transaction.ts';
import { callFromTransaction } from '../block/replay-block.ts';
import { initCodeBytesMax, nonceMax } from '../check-message.ts';
import { floorGas, gasPerBlob, intrinsicGas, transactionGasMax } from '../message-gas.ts';
import { checkSidecar } from './check-sidecar.ts';
import { PooledRejectedError, type PooledRejectionCode } from './errors.ts';

const ether = 10n ** 18n;
/** Limits of geth: `RPCTxFeeCap`, and `txMaxSize` of the pool for blob transactions and of the pool for all others. */
export const pooledLimits = {
  /** Wei that the gas of a transaction may cost. */
  feeMax: ether,
  /** Bytes of the network form of a blob transaction. */
  blobTransactionBytesMax: 1_048_576,
  transactionBytesMax: 131_072,
} as const;

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Fork that introduces each type, as geth names it. */
const forkOfType = [undefined, 'Berlin', 'London', 'Cancun', 'Prague'] as const;

/** The chain that a transaction is checked for. */
export interface PooledChain {
  readonly chainId: bigint;
  /** Rules of the head block; `undefined` for a chain whose forks are unknown: the rules of forks are not checked then. */
  readonly rules: ForkRules | undefined;
  /** Gas limit of the head block. */
  readonly gasLimit: bigint;
}

/**
 * Performs the checks of geth's `eth_sendRawTransaction` that need no state, in geth's order. KZG proofs are checked by
 * `verifyBlobs` of block-model, and nonce and balance by {@link checkPooledSender}.
 * @param bytes length of the transaction as it was sent
 * @returns the sender
 * @throws POOLED_*
 */
export function checkPooledTransaction(
  { transaction, sidecar }: PooledTransaction,
  bytes: number,
  chain: PooledChain,
): Hex {
  const { rules } = chain;
  checkFeeCap(transaction);
  checkProtection(transaction);
  checkBytes(transaction, bytes);
  if (rules !== undefined) checkForkRules(transaction, rules);
  if (transaction.gas > chain.gasLimit)
    throw rejected(
      'POOLED_BLOCK_GAS_EXCEEDED',
      'exceeds block gas limit',
      `Lower its gas limit to ${chain.gasLimit} or less.`,
    );
  const [feeCap, tipCap] = feesOf(transaction);
  if (feeCap < tipCap)
    throw rejected(
      'POOLED_FEE_INVALID',
      'max priority fee per gas higher than max fee per gas',
      `Raise maxFeePerGas to ${tipCap} or more.`,
    );
  const sender = checkSignature(transaction, chain);
  if (transaction.nonce >= nonceMax)
    throw rejected('POOLED_NONCE_SPENT', 'nonce has max value', 'Send from another account (EIP-2681).');
  if (rules !== undefined) checkGas(transaction, rules);
  if (transaction.type === 3) checkSidecar(transaction, sidecar);
  if (transaction.type === 4 && transaction.authorizationList?.length === 0)
    throw rejected(
      'POOLED_AUTHORIZATIONS_INVALID',
      'set code tx must have at least one authorization tuple',
      'Add an authorization, or send a transaction of type 2.',
    );
  return sender;
}

/**
 * Checks nonce and balance of the sender at the head, as geth does. Transactions of the sender that are pending are unknown here.
 * @throws POOLED_NONCE_TOO_LOW, POOLED_FUNDS_INSUFFICIENT
 */
export function checkPooledSender(
  transaction: Transaction,
  account: { readonly nonce: bigint; readonly balance: bigint } | undefined,
): void {
  const { nonce = 0n, balance = 0n } = account ?? {};
  if (transaction.nonce < nonce)
    throw rejected(
      'POOLED_NONCE_TOO_LOW',
      `nonce too low: next nonce ${nonce}, tx nonce ${transaction.nonce}`,
      'A transaction with this nonce is already in the chain.',
    );
  const cost = pooledCost(transaction);
  if (balance < cost)
    throw rejected(
      'POOLED_FUNDS_INSUFFICIENT',
      `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
      'Lower value, gas or fees, or send ether to the account first.',
    );
}

/** Wei that a transaction can cost at most: gas, blobs and value. */
function pooledCost(transaction: Transaction): bigint {
  const { gas, value, maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = transaction;
  const blobGas = BigInt(blobVersionedHashes.length) * gasPerBlob;
  return feesOf(transaction)[0] * gas + maxFeePerBlobGas * blobGas + value;
}

/** Fee cap and tip cap in wei per gas. A legacy gas price is both. */
function feesOf({ gasPrice = 0n, maxFeePerGas = gasPrice, maxPriorityFeePerGas = gasPrice }: Transaction) {
  return [maxFeePerGas, maxPriorityFeePerGas] as const;
}

function checkFeeCap(transaction: Transaction): void {
  const fee = Number(feesOf(transaction)[0] * transaction.gas);
  // Floating point like geth, which therefore accepts a few wei more.
  if (fee <= Number(pooledLimits.feeMax)) return;
  const inEther = (wei: bigint | number) => (Number(wei) / Number(ether)).toFixed(2);
  throw rejected(
    'POOLED_FEE_ABOVE_CAP',
    `tx fee (${inEther(fee)} ether) exceeds the configured cap (${inEther(pooledLimits.feeMax)} ether)`,
    'Lower gas or its price: the cap protects against mistakes.',
  );
}

function checkProtection({ type, chainId }: Transaction): void {
  if (type !== 0 || chainId !== undefined) return;
  throw rejected(
    'POOLED_UNPROTECTED',
    'only replay-protected (EIP-155) transactions allowed over RPC',
    'Sign the transaction for a chain id.',
  );
}

function checkBytes({ type }: Transaction, bytes: number): void {
  const limit = type === 3 ? pooledLimits.blobTransactionBytesMax : pooledLimits.transactionBytesMax;
  if (bytes <= limit) return;
  throw rejected(
    'POOLED_TOO_LARGE',
    `oversized data: transaction size ${bytes}, limit ${limit}`,
    'Split it into several transactions.',
  );
}

function checkForkRules({ type, to, input, gas }: Transaction, rules: ForkRules): void {
  const isActive = [true, rules.isBerlin, rules.isLondon, rules.isCancun, rules.isPrague][type];
  if (isActive !== true) {
    // Like geth: before Berlin, Berlin is missing for every type.
    const fork = rules.isBerlin ? forkOfType[type] : 'Berlin';
    throw rejected(
      'POOLED_TYPE_UNSUPPORTED',
      `transaction type not supported: type ${type} rejected, pool not yet in ${fork}`,
      'Send a type that the network supports.',
    );
  }
  const initCodeBytes = (input.length - 2) / 2;
  if (to === null && rules.isShanghai && initCodeBytes > initCodeBytesMax)
    throw rejected(
      'POOLED_INITCODE_TOO_LARGE',
      `max initcode size exceeded: code size ${initCodeBytes} limit ${initCodeBytesMax}`,
      'Deploy the contract in parts (EIP-3860).',
    );
  if (rules.isOsaka && gas > transactionGasMax)
    throw rejected(
      'POOLED_GAS_TOO_HIGH',
      `transaction gas limit too high (cap: ${transactionGasMax}, tx: ${gas})`,
      `Lower its gas limit to ${transactionGasMax} or less (EIP-7825).`,
    );
}

/** @returns the sender @throws POOLED_SENDER_INVALID */
function checkSignature(transaction: Transaction, { chainId }: PooledChain): Hex {
  const refuse = (reason: string, hint: string) => rejected('POOLED_SENDER_INVALID', `invalid sender: ${reason}`, hint);
  const { r, s } = transaction;
  if (transaction.chainId !== chainId)
    throw refuse(
      `invalid chain id for signer: have ${transaction.chainId} want ${chainId}`,
      'Sign for the chain id of this network, or send to another network.',
    );
  const yParity = yParityOf(transaction);
  const isInRange = r > 0n && r < curveOrder && s > 0n && s <= halfCurveOrder && (yParity === 0n || yParity === 1n);
  if (!isInRange) throw refuse('invalid transaction v, r, s values', 'Sign the transaction again (EIP-2).');
  try {
    return senderOf(transaction);
  } catch (cause) {
    throw refuse('recovery failed', `Sign the transaction again: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function checkGas(transaction: Transaction, rules: ForkRules): void {
  const data = bytesFromHex(transaction.input);
  const { gas } = transaction;
  const intrinsic = intrinsicGas(callFromTransaction(transaction), data, rules);
  const below = (code: PooledRejectionCode, text: string, want: bigint) =>
    rejected(code, `${text}: gas ${gas}, minimum needed ${want}`, `Give at least ${want} gas.`);
  if (gas < intrinsic) throw below('POOLED_GAS_TOO_LOW', 'intrinsic gas too low', intrinsic);
  const floor = floorGas(data, rules);
  if (gas < floor) throw below('POOLED_GAS_BELOW_FLOOR', 'insufficient gas for floor data gas cost', floor);
}

function rejected(code: PooledRejectionCode, message: string, hint: string): PooledRejectedError {
  return new PooledRejectedError(code, message, hint);
}
