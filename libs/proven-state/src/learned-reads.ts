import { keccak256 } from '@cairn/cid';
import { concatBytes } from '@cairn/platform';
import { keyOf } from './content-cache.ts';
import { provenStateLimits } from './limits.ts';
import { type AccountNeed, StateNeeds } from './state-needs.ts';

/** Call whose reads are learned or predicted. */
export interface LearnedCall {
  /** Keccak-256 of the called code; `undefined` where it is not known yet. */
  readonly codeHash: Uint8Array | undefined;
  /** 20 bytes. */
  readonly to: Uint8Array;
  /** 20 bytes. */
  readonly from: Uint8Array;
  readonly input: Uint8Array;
}

/** Slot as a function of the call. Word 0 is the caller; word `i` is the argument `i - 1`. */
type SlotRule =
  | { readonly kind: 'constant'; readonly slot: Uint8Array }
  /** `keccak(word ‖ base) + offset`, nested for mappings of mappings (Solidity's storage layout). */
  | { readonly kind: 'mapping'; readonly words: readonly number[]; readonly base: number; readonly offset: number };

interface ReadRule {
  /** Address of the account; `undefined` for the called one. */
  readonly address: Uint8Array | undefined;
  readonly needsCode: boolean;
  readonly slots: readonly SlotRule[];
}

/** Arguments that are looked at. */
const argumentsMax = 6;
/** Mappings are looked for at these base slots. */
const basesMax = 24;
/** Fields of a struct in a mapping. */
const offsetsMax = 16;

/**
 * Learns the reads of calls by contract or code, and selector, with slots as functions of caller and arguments. It predicts the reads of
 * the next call to the same function. A wrong prediction costs an unused proof, never a wrong result.
 */
export class LearnedReads {
  /** Ordered by last use. */
  readonly #rules = new Map<string, readonly ReadRule[]>();

  /** Reads that a call probably needs; empty for an unknown function. */
  predict(call: LearnedCall): readonly AccountNeed[] {
    // Contracts with the same code, such as proxies, may read different accounts.
    const rules = keysOfCall(call)
      .map((key) => this.#use(key))
      .find((known) => known !== undefined);
    if (rules === undefined) return [];
    const words = wordsOf(call);
    const needs = new StateNeeds();
    for (const { address = call.to, needsCode, slots } of rules) {
      needs.account(address, { needsCode });
      for (const rule of slots) {
        const slot = slotOf(rule, words);
        if (slot !== undefined) needs.slot(address, slot);
      }
    }
    return needs.list();
  }

  #use(key: string): readonly ReadRule[] | undefined {
    const rules = this.#rules.get(key);
    if (rules === undefined) return undefined;
    this.#rules.delete(key);
    this.#rules.set(key, rules);
    return rules;
  }

  /** Learns from a call that was not fully predicted. */
  learn(call: LearnedCall, reads: readonly AccountNeed[]): void {
    const count = reads.reduce((sum, { slots }) => sum + slots.length + 1, 0);
    if (count > provenStateLimits.learnedReadsMax) return;
    const explain = slotExplainer(wordsOf(call));
    const to = keyOf(call.to);
    const rules = reads.map(({ address, slots, needsCode }) => ({
      address: keyOf(address) === to ? undefined : address,
      needsCode,
      slots: slots.map((slot) => explain(slot) ?? ({ kind: 'constant', slot } as const)),
    }));
    for (const key of keysOfCall(call)) {
      this.#rules.delete(key);
      this.#rules.set(key, rules);
    }
    for (const oldest of this.#rules.keys()) {
      if (this.#rules.size <= provenStateLimits.learnedMax) break;
      this.#rules.delete(oldest);
    }
  }
}

/** Keys of a call, the most specific first. */
function keysOfCall({ codeHash, to, input }: LearnedCall): readonly string[] {
  const selector = keyOf(input.subarray(0, 4));
  return [keyOf(to) + selector, ...(codeHash === undefined ? [] : [keyOf(codeHash) + selector])];
}

/** Caller and arguments as words of 32 bytes. */
function wordsOf({ from, input }: LearnedCall): readonly Uint8Array[] {
  const caller = new Uint8Array(32);
  caller.set(from, 12);
  const words: Uint8Array[] = [caller];
  for (let at = 4; at + 32 <= input.length && words.length <= argumentsMax; at += 32)
    words.push(input.subarray(at, at + 32));
  return words;
}

const bases = Array.from({ length: basesMax }, (_, base) => {
  const word = new Uint8Array(32);
  word[31] = base;
  return word;
});

/** Slot of a rule for a call; `undefined` when the call has fewer arguments. */
function slotOf(rule: SlotRule, words: readonly Uint8Array[]): Uint8Array | undefined {
  if (rule.kind === 'constant') return rule.slot;
  let slot = bases[rule.base] as Uint8Array;
  for (const index of rule.words) {
    const word = words[index];
    if (word === undefined) return undefined;
    slot = keccak256(concatBytes([word, slot]));
  }
  return withOffset(slot, rule.offset);
}

/** Adds an offset to the last byte. Slots whose sum carries are not explained. */
function withOffset(slot: Uint8Array, offset: number): Uint8Array {
  const sum = slot.slice();
  sum[31] = (sum[31] as number) + offset;
  return sum;
}

/** Finds the rule of a slot. Hashes are computed on the first slot that is no small number. */
function slotExplainer(words: readonly Uint8Array[]): (slot: Uint8Array) => SlotRule | undefined {
  let table:
    | Map<string, { readonly last: number; readonly words: readonly number[]; readonly base: number }[]>
    | undefined;
  const isSmall = (slot: Uint8Array) => slot.subarray(0, 30).every((byte) => byte === 0);
  return (slot) => {
    if (isSmall(slot)) return undefined;
    table ??= tableOf(words);
    const last = slot[31] as number;
    for (const entry of table.get(keyOf(slot.subarray(0, 31))) ?? []) {
      const offset = last - entry.last;
      if (offset >= 0 && offset < offsetsMax) return { kind: 'mapping', words: entry.words, base: entry.base, offset };
    }
    return undefined;
  };
}

/** Hashes of all mappings over the words, one and two levels deep, by their first 31 bytes. */
function tableOf(words: readonly Uint8Array[]) {
  const table = new Map<string, { last: number; words: readonly number[]; base: number }[]>();
  const add = (hash: Uint8Array, path: readonly number[], base: number) => {
    const key = keyOf(hash.subarray(0, 31));
    const entries = table.get(key) ?? [];
    entries.push({ last: hash[31] as number, words: path, base });
    table.set(key, entries);
  };
  for (const [base, baseWord] of bases.entries())
    for (const [outer, outerWord] of words.entries()) {
      const hash = keccak256(concatBytes([outerWord, baseWord]));
      add(hash, [outer], base);
      for (const [inner, innerWord] of words.entries())
        add(keccak256(concatBytes([innerWord, hash])), [outer, inner], base);
    }
  return table;
}
