import { type AccessListEntry, bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type { EngineStep, EngineTracer } from '@cairn/evm';
import {
  addressHexFromWord,
  callOpcodes,
  checkDeadline,
  createAddress,
  hexFromWord,
  op,
  zeroAddress,
} from '@cairn/evm';
import { applyMessage, type MessageContext } from './apply-message.ts';
import { authorityOf } from './authorizations.ts';
import { checkDefaults } from './call-fees.ts';
import type { CallRequest } from './call-request.ts';
import { CallRejectedError } from './errors.ts';
import { callContext, cappedGas, type ExecuteCallOptions } from './execute-call.ts';
import { withFeeDefaults } from './fee-defaults.ts';
import { authorizationGas } from './message-gas.ts';
import { rewordRejection } from './reword-rejection.ts';
import { unsignedCall } from './unsigned-call.ts';

/** Accounts and slots that a message accesses and that are not warm anyway (EIP-2930). */
export interface AccessListResult {
  readonly kind: 'accessList';
  readonly accessList: readonly AccessListEntry[];
  /** Gas of the message with that list. */
  readonly gasUsed: bigint;
  /** Reason if the message fails with that list. */
  readonly error?: string;
}

export interface CreateAccessListOptions extends ExecuteCallOptions {
  /** Tip in wei per gas that is suggested to senders. Used for calls without fees. Default 0. */
  readonly tip?: bigint | undefined;
}

/** Bound of the rounds until the list is stable: a list changes gas, and with it what the message accesses. geth has no bound. */
const roundsMax = 32;

/**
 * Finds the access list of a message: executes it with the list of the previous round until the list no longer changes. As in
 * geth, the message pays fees, and missing ones are filled in.
 * @throws CALL_* if a node would refuse the call, OVERRIDE_INVALID, and the errors of the state
 */
export async function createAccessList(options: CreateAccessListOptions): Promise<AccessListResult> {
  // Like geth: no precompile can be moved, and code cannot see an override at its address.
  const makeContext = () => callContext(options, { movesPrecompiles: false, findsPrecompiles: false });
  const first = makeContext();
  const { header, tip = 0n } = options;
  const call = withFeeDefaults(options.call, { header, tip, rules: first.rules, block: first.block });
  checkDefaults(call, first.rules);
  const gasLimit = cappedGas(call.gas, options);
  const excluded = excludedAddresses(first, call, gasLimit);
  let accessList: readonly AccessListEntry[] = withoutAddresses(call.accessList ?? [], excluded);
  let known = JSON.stringify(accessList);
  for (let round = 0; ; round++) {
    const touched = new TouchedPlaces(withoutAddresses(accessList, excluded), excluded);
    const { outcome, gasUsed } = await run(makeContext(), { ...call, accessList }, gasLimit, touched);
    const found = touched.entries();
    const text = JSON.stringify(found);
    if (text === known || round === roundsMax) {
      const failure =
        outcome.kind === 'revert' ? 'execution reverted' : outcome.kind === 'halt' ? outcome.reason : undefined;
      return { kind: 'accessList', accessList, gasUsed, ...(failure !== undefined && { error: failure }) };
    }
    known = text;
    accessList = found;
  }
}

async function run(context: MessageContext, call: CallRequest, gasLimit: bigint, tracer: EngineTracer) {
  const { rules, block, world } = context;
  try {
    const { maxFeePerGas } = call;
    // Like geth: a filled-in fee above a tip near 2^256 wraps.
    const own = maxFeePerGas === undefined ? call : { ...call, maxFeePerGas: BigInt.asUintN(256, maxFeePerGas) };
    checkDeadline(context.deadline);
    return await applyMessage(context, own, { gasLimit, tracer });
  } catch (error) {
    throw rewordRejection(error, (message) => {
      const nonce = call.nonce ?? world.getNonce(bytesFromHex(call.from ?? zeroAddress));
      const fields = { chainId: rules.chainId, gas: gasLimit, baseFeePerGas: block.baseFeePerGas };
      return `failed to apply transaction: ${unsignedCall({ ...call, nonce }, fields).hash} err: ${message}`;
    });
  } finally {
    world.release();
  }
}

/**
 * Addresses that are warm without a list: sender, receiver, precompiles, and signers of authorizations.
 * @throws CALL_GAS_TOO_LOW if the gas does not cover the authorizations
 */
function excludedAddresses({ rules, world }: MessageContext, call: CallRequest, gasLimit: bigint): Set<Hex> {
  const { from = zeroAddress, to, authorizationList = [] } = call;
  if (BigInt(authorizationList.length) > gasLimit / authorizationGas) {
    const hint = `Give at least ${authorizationGas} gas for each authorization.`;
    throw new CallRejectedError('CALL_GAS_TOO_LOW', 'insufficient gas to process all authorizations', hint);
  }
  const sender = bytesFromHex(from);
  const target = to ?? hexFromBytes(createAddress(sender, call.nonce ?? world.getNonce(sender)));
  const excluded = new Set<Hex>([from, target, ...rules.precompiles]);
  for (const authorization of authorizationList) {
    const authority = authorityOf(authorization, rules.chainId);
    if (authority !== undefined) excluded.add(hexFromBytes(authority));
  }
  return excluded;
}

/** Normalizes a list: one entry per address, without excluded ones, addresses and slots sorted. */
function withoutAddresses(list: readonly AccessListEntry[], excluded: ReadonlySet<Hex>): AccessListEntry[] {
  const places = new Map<Hex, Set<Hex>>();
  for (const { address, storageKeys } of list) {
    if (excluded.has(address)) continue;
    const slots = places.get(address) ?? new Set();
    for (const key of storageKeys) slots.add(key);
    places.set(address, slots);
  }
  return entriesOf(places);
}

function entriesOf(places: ReadonlyMap<Hex, ReadonlySet<Hex>>): AccessListEntry[] {
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, slots]) => ({ address, storageKeys: [...slots].sort() }));
}

const readsAccount = new Set<number>([op.BALANCE, op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH, op.SELFDESTRUCT]);
const touchesSlot = new Set<number>([op.SLOAD, op.SSTORE]);

/** Collects the accounts and slots that code accesses. */
class TouchedPlaces implements EngineTracer {
  readonly #places = new Map<Hex, Set<Hex>>();
  readonly #excluded: ReadonlySet<Hex>;

  constructor(accessList: readonly AccessListEntry[], excluded: ReadonlySet<Hex>) {
    for (const { address, storageKeys } of accessList) this.#places.set(address, new Set(storageKeys));
    this.#excluded = excluded;
  }

  onStep({ opcode, stack, address }: EngineStep): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    if (touchesSlot.has(opcode)) this.#slotsOf(hexFromBytes(address)).add(hexFromWord(top));
    else if (readsAccount.has(opcode)) this.#addAddress(addressHexFromWord(top));
    else if (callOpcodes.has(opcode) && stack.length >= 5) this.#addAddress(addressHexFromWord(stack.at(-2) ?? 0n));
  }

  #addAddress(address: Hex): void {
    if (!this.#excluded.has(address)) this.#slotsOf(address);
  }

  #slotsOf(address: Hex): Set<Hex> {
    let slots = this.#places.get(address);
    if (slots === undefined) {
      slots = new Set();
      this.#places.set(address, slots);
    }
    return slots;
  }

  /** Sorted by address and slot. Contains the slots of the receiver, although its address is warm. */
  entries(): AccessListEntry[] {
    return entriesOf(this.#places);
  }
}
