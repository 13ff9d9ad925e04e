// Hot path: each block of a gateway or a peer is looked up here. Bench: denylist.bench.ts.
import { hashFunction } from '@cairn/cid';
import { utf8FromText } from '@cairn/platform';
import { limits } from './limits.ts';
import type { DeniedStatus, Rule } from './parse-rule.ts';
import { keyBytes, RuleTable } from './rule-table.ts';
import type { Subject } from './subject.ts';

/** Rule that decides about a subject. */
export interface RuleMatch {
  readonly line: number;
  readonly isAllowed: boolean;
  readonly status: DeniedStatus;
}

const allowedBit = 1;
const legalBit = 2;

/** Bit of a mask that stands for all longer beginnings of paths. */
const longBit = 31;

const sha256 = hashFunction('sha2-256').compute;

/**
 * Kinds of keys. Each is the digest of its number, of the length of the root, of the root and of a text, so that keys of
 * different kinds differ.
 */
const kinds = { exact: 0, prefix: 1, lengths: 2 } as const;

/** Rules of one file. Of all rules that match, the last one decides. */
export class RuleList {
  #plain: RuleTable | undefined;
  /** Double hashes by the code of their function. */
  readonly #doubles = new Map<number, { readonly table: RuleTable; readonly digestBytes: number }[]>();
  readonly #expected: number;
  #prefixes = 0;
  #size = 0;

  /** @param expected rules for which memory is reserved */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  /** Number of rules. */
  get size(): number {
    return this.#size;
  }

  add(rule: Rule, line: number): void {
    this.#size++;
    const value = (rule.isAllowed ? allowedBit : 0) | (rule.status === 451 ? legalBit : 0);
    if (rule.type === 'double') {
      for (const { code, digest } of rule.hashes)
        this.#doubleTable(code, digest.length).set(digest.subarray(0, keyBytes), line, value);
      return;
    }
    const { subject, isPrefix } = rule;
    this.#plain ??= new RuleTable(this.#expected);
    this.#plain.set(keyOf(isPrefix ? kinds.prefix : kinds.exact, subject, subject.path), line, value);
    if (isPrefix) this.#addLength(this.#plain, subject);
  }

  /** Finds the rule that decides about a subject. */
  find(subject: Subject, digests = new SubjectDigests(subject)): RuleMatch | undefined {
    let best: RuleMatch | undefined;
    const consider = (table: RuleTable, key: Uint8Array) => {
      const entry = table.find(key);
      if (entry < 0 || table.lineAt(entry) <= (best?.line ?? -1)) return;
      const value = table.valueAt(entry);
      const status = (value & legalBit) === 0 ? 410 : 451;
      best = { line: table.lineAt(entry), isAllowed: (value & allowedBit) !== 0, status };
    };
    const plain = this.#plain;
    if (plain !== undefined) {
      consider(plain, keyOf(kinds.exact, subject, subject.path));
      for (const length of this.#lengthsOf(plain, subject))
        consider(plain, keyOf(kinds.prefix, subject, subject.path.slice(0, length)));
    }
    for (const [code, tables] of this.#doubles)
      for (const { table, digestBytes } of tables)
        for (const digest of digests.of(code, digestBytes)) consider(table, digest);
    return best;
  }

  #doubleTable(code: number, digestBytes: number): RuleTable {
    const tables = this.#doubles.get(code) ?? [];
    this.#doubles.set(code, tables);
    const known = tables.find((entry) => entry.digestBytes === digestBytes);
    if (known !== undefined) return known.table;
    const table = new RuleTable(tables.length === 0 ? this.#expected : 0);
    tables.push({ table, digestBytes });
    return table;
  }

  /** Records that a root has a rule for paths that begin with a text of this length. */
  #addLength(plain: RuleTable, subject: Subject): void {
    this.#prefixes++;
    const key = keyOf(kinds.lengths, subject, '');
    const known = plain.find(key);
    const mask = known < 0 ? 0 : plain.valueAt(known);
    plain.set(key, 0, (mask | (1 << Math.min(subject.path.length, longBit))) >>> 0);
  }

  /** Yields the lengths of beginnings to look up. Their number is bounded by the longest path of a rule. */
  *#lengthsOf(plain: RuleTable, subject: Subject): Generator<number> {
    if (this.#prefixes === 0) return;
    const entry = plain.find(keyOf(kinds.lengths, subject, ''));
    if (entry < 0) return;
    const mask = plain.valueAt(entry);
    const lengthMax = Math.min(subject.path.length, limits.pathCharactersMax);
    for (let length = 0; length <= lengthMax; length++)
      if ((mask & (1 << Math.min(length, longBit))) !== 0) yield length;
  }
}

/** Digests of the texts of one subject, computed once for all lists. */
export class SubjectDigests {
  readonly #subject: Subject;
  readonly #known = new Map<string, readonly Uint8Array[]>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Returns the keys of double hashes of a function. Those of the first BadBits lists are SHA-256. */
  of(code: number, digestBytes: number): readonly Uint8Array[] {
    const name = `${code} ${digestBytes}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const texts = code === 0x12 ? [this.#subject.modern(), this.#subject.legacy()] : [this.#subject.modern()];
    const { compute } = hashFunction(code);
    const digests = texts.map((text) => compute(utf8FromText(text), digestBytes).subarray(0, keyBytes));
    this.#known.set(name, digests);
    return digests;
  }
}

function keyOf(kind: number, { namespace, root }: Subject, path: string): Uint8Array {
  const text = utf8FromText(path);
  const bytes = new Uint8Array(4 + root.length + text.length);
  bytes[0] = kind * 2 + (namespace === 'ipns' ? 1 : 0);
  bytes[1] = root.length & 0xff;
  bytes[2] = (root.length >> 8) & 0xff;
  bytes.set(root, 4);
  bytes.set(text, 4 + root.length);
  return sha256(bytes).subarray(0, keyBytes);
}
