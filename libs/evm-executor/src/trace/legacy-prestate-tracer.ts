import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type { EngineFrame, EngineStep } from '@cairn/evm';
import { addressHexFromWord, callOpcodes, create2Address, createAddress, hexFromWord, op } from '@cairn/evm';
import { hexDigitsFromBytes } from '@cairn/platform';
import type { AppliedMessage } from '../apply-message.ts';
import { memorySlice, peek } from './legacy-access.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

interface LegacyAccount {
  balance: bigint;
  nonce: number;
  readonly code: Hex;
  readonly storage: Record<Hex, Hex>;
}

const readsAccount: ReadonlySet<number> = new Set<number>([op.BALANCE, op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH]);

/**
 * geth's prestateTracerLegacy, its first prestateTracer. It reads accounts when steps name them and derives the balances before the
 * transaction from those. As in geth, fees count with their tip only, as a floating-point number.
 */
export class LegacyPrestateTracer implements TransactionTracer {
  #prestate: Map<Hex, LegacyAccount> | undefined;
  #message: TracedMessage | undefined;
  #top: EngineFrame | undefined;

  begin(message: TracedMessage): void {
    this.#message = message;
  }

  onEnter(frame: EngineFrame): void {
    this.#top ??= frame;
  }

  onStep(step: EngineStep): void {
    const { opcode, stack, address, world } = step;
    this.#prestate ??= new Map([[hexFromBytes(address), this.#read(hexFromBytes(address))]]);
    if (readsAccount.has(opcode)) this.#see(addressHexFromWord(peek(stack, 0)));
    else if (opcode === op.CREATE) this.#see(hexFromBytes(createAddress(address, world.getNonce(address))));
    else if (opcode === op.CREATE2) {
      const at = Number(peek(stack, 1));
      const code = memorySlice(step, at, at + Number(peek(stack, 2)));
      this.#see(hexFromBytes(create2Address(address, peek(stack, 3), code)));
    } else if (callOpcodes.has(opcode)) this.#see(addressHexFromWord(peek(stack, 1)));
    else if (opcode === op.SLOAD || opcode === op.SSTORE) this.#seeSlot(step, hexFromWord(peek(stack, 0)));
  }

  #see(address: Hex): LegacyAccount {
    this.#prestate ??= new Map();
    const known = this.#prestate.get(address);
    if (known !== undefined) return known;
    const account = this.#read(address);
    this.#prestate.set(address, account);
    return account;
  }

  #seeSlot({ address, world }: EngineStep, slot: Hex): void {
    const { storage } = this.#see(hexFromBytes(address));
    const value = hexDigitsFromBytes(world.getStorage(address, bytesFromHex(slot)));
    storage[slot] ??= `0x${value.padStart(64, '0')}`;
  }

  #read(address: Hex): LegacyAccount {
    const world = this.#message?.context.world;
    const bytes = bytesFromHex(address);
    return {
      balance: world?.getBalance(bytes) ?? 0n,
      nonce: Number(world?.getNonce(bytes) ?? 0n),
      code: hexFromBytes(world?.getCode(bytes) ?? new Uint8Array(0)),
      storage: {},
    };
  }

  result({ gasUsed }: AppliedMessage): string {
    const top = this.#top;
    if (top === undefined) return '{}';
    const [from, to] = [hexFromBytes(top.from), hexFromBytes(top.to)];
    if (this.#prestate === undefined) this.#see(to);
    const [sender, recipient] = [this.#see(from), this.#see(to)];
    const value = top.value ?? 0n;
    const [balanceBefore, receivedBefore] = [sender.balance, recipient.balance];
    recipient.balance = receivedBefore - value;
    sender.balance = balanceBefore + value + this.#fee(gasUsed);
    sender.nonce--;
    if (top.kind === 'CREATE') this.#prestate?.delete(to);
    const accounts = [...(this.#prestate ?? [])].map(([address, account]) => [
      address,
      { ...account, balance: `0x${account.balance.toString(16)}` },
    ]);
    return JSON.stringify(Object.fromEntries(accounts));
  }

  /** Product of floating-point numbers, as in geth's tracer. */
  #fee(gasUsed: bigint): bigint {
    const { call, context } = this.#message ?? {};
    const baseFee = context?.block.baseFeePerGas ?? 0n;
    const feeCap = call?.gasPrice ?? call?.maxFeePerGas ?? 0n;
    const tipCap = call?.gasPrice ?? call?.maxPriorityFeePerGas ?? 0n;
    // A call without a price pays no base fee.
    if (feeCap === 0n && tipCap === 0n) return 0n;
    const tip = feeCap - baseFee < tipCap ? feeCap - baseFee : tipCap;
    return BigInt(decimalOf(Number(gasUsed) * Number(tip)));
  }
}

/** Decimal digits of a whole number, with zeros instead of an exponent. */
function decimalOf(number: number): string {
  const [digits = '0', exponent] = String(number).split('e+');
  if (exponent === undefined) return digits;
  const [whole = '0', fraction = ''] = digits.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
}
