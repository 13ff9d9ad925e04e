import { bytesFromHex, type Hex, hexFromBytes, type Json, keccak256, quantity } from '@cairn/block-model';
import type { EngineStep, WorldState } from '@cairn/evm';
import {
  addressHexFromWord,
  callOpcodes,
  create2Address,
  createAddress,
  delegationOf,
  hexFromWord,
  op,
  zeroAddress,
} from '@cairn/evm';
import { hexDigitsFromBytes } from '@cairn/platform';
import { signerOfAuthorization } from '../authorizations.ts';
import { paddedMemory } from './padded-memory.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

interface AccountFields {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Hex;
  /** All zeros for an account that does not exist. */
  readonly codeHash: Hex;
}

interface SeenAccount extends AccountFields {
  /** Values of accessed slots before the transaction. */
  readonly storage: Map<Hex, Hex>;
}

const readsAccount: ReadonlySet<number> = new Set<number>([
  op.BALANCE,
  op.EXTCODESIZE,
  op.EXTCODECOPY,
  op.EXTCODEHASH,
  op.SELFDESTRUCT,
]);
const stepOpcodes: ReadonlySet<number> = new Set<number>([
  ...readsAccount,
  ...callOpcodes,
  op.SLOAD,
  op.SSTORE,
  op.CREATE,
  op.CREATE2,
]);
const noWord = hexFromWord(0n);
const emptyCodeHash = hexFromBytes(keccak256(new Uint8Array(0)));

/** geth's prestateTracer: accounts and slots that a transaction accesses, and with `diffMode` their values afterwards. */
export class PrestateTracer implements TransactionTracer {
  readonly stepOpcodes = stepOpcodes;
  readonly #options: TracerOptions<'prestateTracer'>;
  readonly #seen = new Map<Hex, SeenAccount>();
  readonly #created = new Set<Hex>();
  readonly #deleted = new Set<Hex>();
  #message: TracedMessage | undefined;

  constructor(options: TracerOptions<'prestateTracer'>) {
    this.#options = options;
  }

  get #world(): WorldState | undefined {
    return this.#message?.context.world;
  }

  begin(message: TracedMessage): void {
    this.#message = message;
    const { call, context } = message;
    const { world, block } = context;
    const from = call.from ?? zeroAddress;
    const created = () => hexFromBytes(createAddress(bytesFromHex(from), world.getNonce(bytesFromHex(from))));
    const to = call.to ?? created();
    if (call.to === undefined) this.#created.add(to);
    else this.#seeDelegate(call.to);
    for (const address of [from, to, block.coinbase]) this.#see(address);
    for (const authorization of call.authorizationList ?? []) {
      const authority = signerOfAuthorization(authorization);
      if (authority !== undefined) this.#see(hexFromBytes(authority));
    }
  }

  onStep(step: EngineStep): void {
    const { opcode, stack, address, error, world } = step;
    if (error !== undefined) return;
    const top = stack.at(-1);
    if (opcode === op.CREATE) this.#create(createAddress(address, world.getNonce(address)));
    if (top === undefined) return;
    if (opcode === op.SLOAD || opcode === op.SSTORE) this.#seeSlot(hexFromBytes(address), hexFromWord(top));
    else if (readsAccount.has(opcode)) {
      this.#see(addressHexFromWord(top));
      if (opcode === op.SELFDESTRUCT) this.#destroy(hexFromBytes(address));
    } else if (callOpcodes.has(opcode) && stack.length >= 5) {
      const target = addressHexFromWord(stack.at(-2) ?? 0n);
      this.#see(target);
      this.#seeDelegate(target);
    } else if (opcode === op.CREATE2) this.#create2(step);
  }

  #create(address: Uint8Array): void {
    const created = hexFromBytes(address);
    this.#see(created);
    this.#created.add(created);
  }

  #create2({ stack, memory, address }: EngineStep): void {
    const [salt, length, at] = stack.slice(-4);
    if (salt === undefined || length === undefined || at === undefined) return;
    const code = paddedMemory(memory, at, length);
    if (code !== undefined) this.#create(create2Address(address, salt, code));
  }

  /** From Cancun on, SELFDESTRUCT removes only contracts created in the same transaction (EIP-6780). */
  #destroy(address: Hex): void {
    if (!this.#message?.context.rules.isCancun || this.#created.has(address)) this.#deleted.add(address);
  }

  #seeDelegate(address: Hex): void {
    const code = this.#message?.context.rules.isPrague ? this.#world?.getCode(bytesFromHex(address)) : undefined;
    const delegate = code && delegationOf(code);
    if (delegate !== undefined) this.#see(hexFromBytes(delegate));
  }

  #see(address: Hex): SeenAccount {
    const known = this.#seen.get(address);
    if (known) return known;
    // Fields are listed: V8 makes a new shape for each object in which a field follows a spread.
    const { balance, nonce, code, codeHash } = this.#read(address);
    const account = { balance, nonce, code, codeHash, storage: new Map<Hex, Hex>() };
    this.#seen.set(address, account);
    return account;
  }

  #seeSlot(address: Hex, slot: Hex): void {
    const { storage } = this.#see(address);
    if (!this.#options.disableStorage && !storage.has(slot)) storage.set(slot, this.#readSlot(address, slot));
  }

  #read(address: Hex): AccountFields {
    const bytes = bytesFromHex(address);
    const world = this.#world;
    const account = world?.getAccount(bytes);
    if (world === undefined || account === undefined) return { balance: 0n, nonce: 0n, code: '0x', codeHash: noWord };
    const { balance, nonce, codeHash } = account;
    return { balance, nonce, code: hexFromBytes(world.getCode(bytes)), codeHash: hexFromBytes(codeHash) };
  }

  #readSlot(address: Hex, slot: Hex): Hex {
    const value = this.#world?.getStorage(bytesFromHex(address), bytesFromHex(slot)) ?? new Uint8Array(0);
    return `0x${hexDigitsFromBytes(value).padStart(64, '0')}`;
  }

  result(): string {
    return JSON.stringify(this.#options.diffMode ? this.#difference() : this.#before());
  }

  #before(): Json {
    const held = [...this.#seen].filter(([, account]) => this.#options.includeEmpty || !isEmpty(account));
    return Object.fromEntries(held.map(([address, account]) => [address, this.#accountToJson(account)]));
  }

  /** Changed accounts: previous values in `pre`, changed fields in `post`. A removed account has no `post`. */
  #difference(): Json {
    const pre: Record<Hex, Json> = {};
    const post: Record<Hex, Json> = {};
    for (const [address, before] of this.#seen) {
      if (this.#deleted.has(address)) {
        if (!isEmpty(before)) pre[address] = this.#accountToJson(before);
        continue;
      }
      const slots = [...before.storage].map(([slot, value]) => [slot, value, this.#readSlot(address, slot)] as const);
      const changed = slots.filter(([, was, is]) => was !== is);
      const fields = this.#changedFields(before, this.#read(address));
      if (Object.keys(fields).length === 0 && changed.length === 0) continue;
      const slotsAfter = changed.filter(([, , is]) => is !== noWord).map(([slot, , is]) => [slot, is] as const);
      post[address] = { ...fields, ...(slotsAfter.length > 0 && { storage: Object.fromEntries(slotsAfter) }) };
      if (isEmpty(before)) continue;
      const slotsBefore = changed.filter(([, was]) => was !== noWord).map(([slot, was]) => [slot, was] as const);
      pre[address] = this.#accountToJson({ ...before, storage: new Map(slotsBefore) });
    }
    return { post, pre };
  }

  #changedFields(before: AccountFields, after: AccountFields): Json {
    // Like geth: a missing account before counts as one without code, a missing account after does not.
    const codeHashBefore = before.codeHash === noWord ? emptyCodeHash : before.codeHash;
    return {
      ...(after.balance !== before.balance && { balance: quantity(after.balance) }),
      // Zero is omitted, as everywhere in this format.
      ...(after.nonce !== before.nonce && after.nonce > 0n && { nonce: Number(after.nonce) }),
      ...(after.codeHash !== codeHashBefore && { codeHash: after.codeHash }),
      ...(after.code !== before.code && !this.#options.disableCode && { code: after.code }),
    };
  }

  #accountToJson({ balance, nonce, code, codeHash, storage }: SeenAccount): Json {
    return {
      balance: quantity(balance),
      ...(code !== '0x' && !this.#options.disableCode && { code }),
      ...(codeHash !== noWord && codeHash !== emptyCodeHash && { codeHash }),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(storage.size > 0 && { storage: Object.fromEntries(storage) }),
    };
  }
}

/** Reports whether an account is empty by geth's definition, which ignores storage. */
function isEmpty({ balance, nonce, code }: SeenAccount): boolean {
  return balance === 0n && nonce === 0n && code === '0x';
}
