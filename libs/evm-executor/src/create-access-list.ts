import { type AccessListEntry, type Hex, hexFromBytes } from '@cairn/block-model';
import { applyMessage, noAddress } from './apply-message.ts';
import type { EngineStep, EngineTracer } from './engine/engine-tracer.ts';
import { addressOfWord, wordOf } from './engine/step-log.ts';
import { callContext, cappedGas, type ExecuteCallOptions } from './execute-call.ts';

/** What a message reads beyond what is warm anyway (EIP-2930), and what it costs when it says so. */
export interface AccessListResult {
  readonly kind: 'accessList';
  readonly accessList: readonly AccessListEntry[];
  readonly gasUsed: bigint;
  /** Why the message failed with that list. */
  readonly error?: string;
}

/** A list that is known before a run changes what the run reads; geth goes on until it does not. */
const roundsMax = 32;

/**
 * Finds the access list of a message: runs it again and again, each time with the list of the time before, until the list
 * stays.
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, and what the state throws
 */
export async function createAccessList(options: ExecuteCallOptions): Promise<AccessListResult> {
  const gasLimit = cappedGas(options.call.gas, options);
  let accessList: readonly AccessListEntry[] = options.call.accessList ?? [];
  let known = '';
  for (let round = 0; ; round++) {
    const touched = new TouchedPlaces(accessList);
    const context = callContext(options);
    const applied = await applyMessage(context, { ...options.call, accessList }, { gasLimit, tracer: touched });
    const excluded = new Set<string>([options.call.from ?? noAddress, ...context.rules.precompiles]);
    if (touched.target !== undefined) excluded.add(touched.target);
    const found = touched.entries(excluded);
    const text = JSON.stringify(found);
    if (text === known || round === roundsMax) {
      const { kind, reason } = applied.outcome;
      const failure = kind === 'revert' ? 'execution reverted' : kind === 'halt' ? reason : undefined;
      return {
        kind: 'accessList',
        accessList: found,
        gasUsed: applied.gasUsed,
        ...(failure !== undefined && { error: failure }),
      };
    }
    known = text;
    accessList = found;
  }
}

const readsAccount = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const callsAccount = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const touchesSlot = new Set([0x54, 0x55]);

/** Accounts and slots that code has named. */
class TouchedPlaces implements EngineTracer {
  readonly #places = new Map<Hex, Set<Hex>>();
  /** The account that the message calls or creates. */
  target: Hex | undefined;

  constructor(accessList: readonly AccessListEntry[]) {
    for (const { address, storageKeys } of accessList) this.#places.set(address, new Set(storageKeys));
  }

  onEnter({ depth, to }: { readonly depth: number; readonly to: Uint8Array }): void {
    if (depth === 1) this.target = hexFromBytes(to);
  }

  onStep({ opcode, stack, address }: EngineStep): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    if (touchesSlot.has(opcode)) this.#slotsOf(hexFromBytes(address)).add(wordOf(top));
    else if (readsAccount.has(opcode)) this.#slotsOf(addressOfWord(top));
    else if (callsAccount.has(opcode) && stack.length >= 5) this.#slotsOf(addressOfWord(stack.at(-2) ?? 0n));
  }

  #slotsOf(address: Hex): Set<Hex> {
    let slots = this.#places.get(address);
    if (slots === undefined) {
      slots = new Set();
      this.#places.set(address, slots);
    }
    return slots;
  }

  /** In the order of addresses and slots; accounts that are warm anyway only with slots. */
  entries(excluded: ReadonlySet<string>): AccessListEntry[] {
    return [...this.#places]
      .filter(([address, slots]) => slots.size > 0 || !excluded.has(address))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, slots]) => ({ address, storageKeys: [...slots].sort() }));
  }
}
