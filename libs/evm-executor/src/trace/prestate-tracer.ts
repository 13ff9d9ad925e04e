import { bytesFromHex, type Hex, hexFromBytes, type Json, quantity } from '@cairn/block-model';
import type { MessageContext } from '../apply-message.ts';
import { noAddress } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import type { EngineFrame, EngineStep } from '../engine/engine-tracer.ts';
import { addressOfWord, wordOf } from '../engine/step-log.ts';
import type { WorldState } from '../world-state.ts';
import type { TraceOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

interface SeenAccount {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Hex;
  /** Slots that were named, with what they held before the transaction. */
  readonly storage: Map<Hex, Hex>;
}

const readsAccount = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const callsAccount = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const noWord = wordOf(0n);

/** geth's prestateTracer: the accounts and slots that a transaction needs, and in diff mode what became of them. */
export class PrestateTracer implements TransactionTracer {
  readonly #options: Extract<TraceOptions, { tracer: 'prestateTracer' }>;
  readonly #seen = new Map<Hex, SeenAccount>();
  readonly #created = new Set<Hex>();
  #world: WorldState | undefined;

  constructor(options: Extract<TraceOptions, { tracer: 'prestateTracer' }>) {
    this.#options = options;
  }

  begin({ world, block }: MessageContext, call: CallRequest): void {
    this.#world = world;
    for (const address of [call.from ?? noAddress, call.to, block.coinbase]) if (address) this.#see(address);
    for (const { address } of call.authorizationList ?? []) this.#see(address);
  }

  onEnter({ kind, to }: EngineFrame): void {
    const address = hexFromBytes(to);
    if (kind.startsWith('CREATE')) this.#created.add(address);
    this.#see(address);
  }

  onStep({ opcode, stack, address }: EngineStep): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    if (opcode === 0x54 || opcode === 0x55) this.#seeSlot(hexFromBytes(address), wordOf(top));
    else if (readsAccount.has(opcode)) this.#see(addressOfWord(top));
    else if (callsAccount.has(opcode) && stack.length >= 5) this.#see(addressOfWord(stack.at(-2) ?? 0n));
  }

  #see(address: Hex): SeenAccount {
    const known = this.#seen.get(address);
    if (known) return known;
    const account = { ...this.#read(address), storage: new Map<Hex, Hex>() };
    this.#seen.set(address, account);
    return account;
  }

  #seeSlot(address: Hex, slot: Hex): void {
    const { storage } = this.#see(address);
    if (!this.#options.disableStorage && !storage.has(slot)) storage.set(slot, this.#readSlot(address, slot));
  }

  #read(address: Hex): Omit<SeenAccount, 'storage'> {
    const bytes = bytesFromHex(address);
    const world = this.#world;
    if (world === undefined) return { balance: 0n, nonce: 0n, code: '0x' };
    return { balance: world.getBalance(bytes), nonce: world.getNonce(bytes), code: hexFromBytes(world.getCode(bytes)) };
  }

  #readSlot(address: Hex, slot: Hex): Hex {
    const value = this.#world?.getStorage(bytesFromHex(address), bytesFromHex(slot)) ?? new Uint8Array(0);
    return `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`;
  }

  result(): string {
    return JSON.stringify(this.#options.diffMode ? this.#difference() : this.#before());
  }

  #before(): Json {
    const { includeEmpty } = this.#options;
    const held = [...this.#seen].filter(
      ([address, account]) => !isEmpty(account) || (includeEmpty && !this.#created.has(address)),
    );
    return Object.fromEntries(held.map(([address, account]) => [address, this.#accountJson(account)]));
  }

  /** Accounts that have changed: as they were, and only what is new of them. */
  #difference(): Json {
    const pre: Record<Hex, Json> = {};
    const post: Record<Hex, Json> = {};
    for (const [address, before] of this.#seen) {
      const after = this.#read(address);
      const slots = [...before.storage].map(([slot, value]) => [slot, value, this.#readSlot(address, slot)] as const);
      const changed = slots.filter(([, was, is]) => was !== is);
      const fields = {
        ...(after.balance !== before.balance && { balance: quantity(after.balance) }),
        ...(after.nonce !== before.nonce && { nonce: Number(after.nonce) }),
        ...(after.code !== before.code && !this.#options.disableCode && { code: after.code }),
      };
      if (Object.keys(fields).length === 0 && changed.length === 0) continue;
      const slotsAfter = changed.filter(([, , is]) => is !== noWord).map(([slot, , is]) => [slot, is]);
      const isGone = !isEmpty(before) && isEmpty({ ...after, storage: new Map() });
      if (!isGone) {
        post[address] = { ...fields, ...(slotsAfter.length > 0 && { storage: Object.fromEntries(slotsAfter) }) };
      }
      if (isEmpty(before)) continue;
      const slotsBefore = changed.filter(([, was]) => was !== noWord).map(([slot, was]) => [slot, was] as const);
      pre[address] = this.#accountJson({ ...before, storage: new Map(slotsBefore) });
    }
    return { post, pre };
  }

  #accountJson({ balance, nonce, code, storage }: SeenAccount): Json {
    return {
      balance: quantity(balance),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(code !== '0x' && !this.#options.disableCode && { code }),
      ...(storage.size > 0 && { storage: Object.fromEntries(storage) }),
    };
  }
}

function isEmpty({ balance, nonce, code, storage }: SeenAccount): boolean {
  return balance === 0n && nonce === 0n && code === '0x' && [...storage.values()].every((value) => value === noWord);
}
