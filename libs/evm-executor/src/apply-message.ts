// Every call and transaction passes here; execute-call.bench.ts measures it.
import { type AccessListEntry, bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type {
  Awaitable,
  CallEngine,
  Deadline,
  EngineMessage,
  EngineOutcome,
  EngineTracer,
  ForkRules,
  PrecompileChanges,
  WorldState,
} from '@cairn/evm';
import { addressFromHex, createAddress, delegationOf, halts, whenDone, zeroAddress } from '@cairn/evm';
import { applyAuthorizations } from './authorizations.ts';
import type { BlockEnvironment } from './block-environment.ts';
import { type CallFees, callFees, checkDefaults } from './call-fees.ts';
import type { CallRequest } from './call-request.ts';
import { type CallChecks, type CallPrice, checkMessage, nonceMax } from './check-message.ts';

/** Block and state for a sequence of messages. */
export interface MessageContext {
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  readonly world: WorldState;
  readonly engine: CallEngine;
  /** Hashes of the blocks before this one, for BLOCKHASH. */
  readonly blockHash: (number: bigint) => Hex | undefined;
  readonly precompiles: PrecompileChanges;
  /** Time at which messages end with EXECUTION_TIMEOUT, system calls included. Default: never. */
  readonly deadline?: Deadline | undefined;
}

export interface MessageOptions {
  readonly gasLimit: bigint;
  readonly checks?: CallChecks;
  readonly tracer?: EngineTracer | undefined;
  /** See {@link EngineMessage.budget}. */
  readonly budget?: number | undefined;
  /** Overrides the deadline of the context. */
  readonly deadline?: Deadline | undefined;
  /** Code reads a fee that the message does not offer as zero, as in eth_call. Default true. */
  readonly hidesPrices?: boolean;
}

/** Result of a message. */
export interface AppliedMessage {
  readonly outcome: EngineOutcome;
  /** Gas charged to the sender: after refunds (EIP-3529), and at least the floor (EIP-7623). */
  readonly gasUsed: bigint;
  /** Gas before refunds. */
  readonly gasUsedMax: bigint;
}

const noBytes = new Uint8Array(0);

/**
 * Executes a message as a transaction (Yellow Paper, section 6): the sender pays up front, the code runs, unused gas is refunded,
 * the coinbase receives its tip, and destroyed or empty accounts are removed. The world is then ready for the next message.
 * @throws CALL_* if a node would refuse the message; the world is unchanged
 */
export async function applyMessage(
  context: MessageContext,
  call: CallRequest,
  options: MessageOptions,
): Promise<AppliedMessage> {
  return applyMessageNow(context, call, options);
}

/** Same as {@link applyMessage}, without a promise unless the engine returns one: promises take longer than a small call. */
export function applyMessageNow(
  context: MessageContext,
  call: CallRequest,
  { gasLimit, checks, tracer, budget, deadline = context.deadline, hidesPrices = true }: MessageOptions,
): Awaitable<AppliedMessage> {
  const { rules, block, world, engine } = context;
  checkDefaults(call, rules);
  const fees = callFees(call, block);
  const sender = call.from ?? zeroAddress;
  const from = addressFromHex(sender);
  const to = call.to === undefined ? undefined : addressFromHex(call.to);
  const data = call.data === undefined ? noBytes : bytesFromHex(call.data);
  const balance = world.getBalance(from);
  const nonce = world.getNonce(from);
  const visible = hidesPrices ? visibleBlock(block, call, fees.gasPrice) : block;
  const price = checkMessage({ call, rules, block: visible, fees, sender, balance, nonce, gasLimit, data }, checks);

  world.beginMessage();
  const { upfront } = price;
  // The fee of simulated blobs that offer no fee may exceed the balance: as in geth, the balance wraps.
  const paid = upfront === 0n ? balance : BigInt.asUintN(256, balance - upfront);
  // At the maximum nonce, a call wraps the nonce and a creation fails, as in geth.
  const isSpent = nonce === nonceMax;
  const isRefused = isSpent && to === undefined;
  world.updateAccount(from, { nonce: isRefused ? nonce : isSpent ? 0n : nonce + 1n, balance: paid });
  const authorized = applyAuthorizations(world, rules.chainId, call.authorizationList ?? []);
  const delegation = to && delegationOf(world.getCode(to));
  // Fields are listed one by one: object spreads take longer than a small call.
  const message = {
    rules,
    block: visible,
    world,
    blockHash: context.blockHash,
    sender: from,
    to,
    value: call.value ?? 0n,
    data,
    gas: gasLimit - price.intrinsic,
    gasPrice: fees.gasPrice,
    blobVersionedHashes: call.blobVersionedHashes ?? [],
    warm: warmEntries(call, rules, block, sender, authorized.warm, delegation),
    precompiles: context.precompiles,
    tracer,
    budget,
    deadline,
  };
  const { refund } = authorized;
  const settled = (outcome: EngineOutcome) =>
    settleMessage(context, outcome, { from, gasLimit, fees, price, refund, hidesPrices });
  return isRefused ? settled(refuseCreation(message)) : whenDone(engine.run(message), settled);
}

interface RunMessage {
  readonly from: Uint8Array;
  readonly gasLimit: bigint;
  readonly fees: CallFees;
  readonly price: CallPrice;
  /** Refund of the authorizations (EIP-7702). */
  readonly refund: bigint;
  readonly hidesPrices: boolean;
}

/** Charges the gas of a message, and clears accounts. */
function settleMessage(
  context: MessageContext,
  outcome: EngineOutcome,
  { from, gasLimit, fees, price, refund, hidesPrices }: RunMessage,
): AppliedMessage {
  const { rules, block, world } = context;
  const gas = chargedGas(outcome, rules, price, refund);
  // The guard is lifted for payments: the coinbase may be a contract, and the block pays it, not the message.
  const { guard } = world;
  world.guard = undefined;
  settle(context, from, gasLimit - gas.gasUsed, gas.gasUsed, fees);
  const coinbase = addressFromHex(block.coinbase);
  // Before EIP-161, a payment of zero created the miner's account.
  if (!rules.isSpuriousDragon && !hidesPrices) world.updateAccount(coinbase, {});
  clearAccounts(context, outcome, [from, coinbase]);
  world.guard = guard;
  return { outcome, gasUsed: gas.gasUsed, gasUsedMax: gas.gasUsedMax };
}

/** Outcome of a creation by an account at the maximum nonce: it fails before any code runs and uses no gas (EIP-2681). */
function refuseCreation({ sender, value, data, gas, tracer }: EngineMessage): EngineOutcome {
  const reason = halts.nonceOverflow.reason;
  const to = createAddress(sender, nonceMax);
  tracer?.onEnter?.({ kind: 'CREATE', from: sender, to, value, gas, input: data, depth: 1 });
  tracer?.onExit?.({ gasUsed: 0n, output: noBytes, error: reason, isReverted: true });
  const nothing = { output: noBytes, gasUsed: 0n, gasRefund: 0n, logs: [], destroyed: [], touched: [] };
  return { kind: 'halt', reason, ...nothing };
}

const unpriced = new WeakMap<BlockEnvironment, BlockEnvironment>();

/**
 * Returns the block environment of a message. As in geth, BASEFEE and BLOBBASEFEE read zero if the message offers a price
 * of zero for them.
 */
function visibleBlock(block: BlockEnvironment, call: CallRequest, gasPrice: bigint): BlockEnvironment {
  const hasNoGasPrice = gasPrice === 0n && block.baseFeePerGas !== undefined;
  const hasNoBlobPrice =
    block.blobBaseFee !== undefined &&
    (call.blobVersionedHashes !== undefined || call.maxFeePerBlobGas !== undefined) &&
    (call.maxFeePerBlobGas ?? 0n) === 0n;
  if (hasNoBlobPrice) return { ...block, ...(hasNoGasPrice && { baseFeePerGas: 0n }), blobBaseFee: 0n };
  if (!hasNoGasPrice) return block;
  let visible = unpriced.get(block);
  if (visible === undefined) {
    visible = { ...block, baseFeePerGas: 0n };
    unpriced.set(block, visible);
  }
  return visible;
}

/** Addresses and slots that are warm from the start, without the precompiles: EIP-2929, EIP-2930, EIP-3651 and EIP-7702. */
function warmEntries(
  call: CallRequest,
  rules: ForkRules,
  block: BlockEnvironment,
  sender: Hex,
  authorities: readonly Hex[],
  delegation: Uint8Array | undefined,
): AccessListEntry[] {
  if (!rules.isBerlin) return [];
  const entries: AccessListEntry[] = [{ address: sender, storageKeys: [] }];
  if (call.to !== undefined) entries.push({ address: call.to, storageKeys: [] });
  if (rules.isShanghai) entries.push({ address: block.coinbase, storageKeys: [] });
  for (const address of authorities) entries.push({ address, storageKeys: [] });
  if (delegation !== undefined) entries.push({ address: hexFromBytes(delegation), storageKeys: [] });
  if (call.accessList !== undefined) entries.push(...call.accessList);
  return entries;
}

/** Applies the maximum refund (EIP-3529) and the floor (EIP-7623). */
function chargedGas(
  outcome: EngineOutcome,
  rules: ForkRules,
  { intrinsic, floor }: { readonly intrinsic: bigint; readonly floor: bigint },
  authorizationRefund: bigint,
): { readonly gasUsed: bigint; readonly gasUsedMax: bigint } {
  const used = intrinsic + outcome.gasUsed;
  const refundMax = used / (rules.isLondon ? 5n : 2n);
  const refund = outcome.gasRefund + authorizationRefund;
  const charged = used - (refund < refundMax ? refund : refundMax);
  return { gasUsed: charged > floor ? charged : floor, gasUsedMax: used > floor ? used : floor };
}

/** Refunds unused gas to the sender and pays the coinbase the price above the base fee (EIP-1559). */
function settle(
  { block, world, rules }: MessageContext,
  from: Uint8Array,
  left: bigint,
  used: bigint,
  fees: CallFees,
): void {
  if (fees.gasPrice > 0n && left > 0n)
    world.updateAccount(from, { balance: BigInt.asUintN(256, world.getBalance(from) + left * fees.gasPrice) });
  const tip = rules.isLondon ? fees.gasPrice - (block.baseFeePerGas ?? 0n) : fees.gasPrice;
  // A message without fees does not touch the coinbase, even if the block has a base fee.
  if (fees.feeCap === 0n || tip <= 0n) return;
  const coinbase = addressFromHex(block.coinbase);
  world.updateAccount(coinbase, { balance: BigInt.asUintN(256, world.getBalance(coinbase) + used * tip) });
}

/** Removes self-destructed accounts, and the empty ones among touched accounts and `others` (EIP-161). */
export function clearAccounts(
  { world, rules }: Pick<MessageContext, 'world' | 'rules'>,
  outcome: EngineOutcome,
  others: readonly Uint8Array[],
): void {
  for (const address of outcome.destroyed) world.removeAccount(address);
  if (!rules.isSpuriousDragon) return;
  const clear = (address: Uint8Array) => {
    const account = world.getAccount(address);
    if (account === undefined || account.nonce > 0n || account.balance > 0n) return;
    if (world.getCode(address).length === 0) world.removeAccount(address);
  };
  outcome.touched.forEach(clear);
  others.forEach(clear);
}
