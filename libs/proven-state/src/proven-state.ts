import type { AccountProof, StateReader } from '@cairn/block-model';
import { emptyTrieRoot } from '@cairn/trie';
import {
  accountFromRlp,
  CachedState,
  type CachedStateOptions,
  isEmptyCode,
  missing,
  slotFromRlp,
} from './cached-state.ts';
import { keyOf } from './content-cache.ts';
import { ContentMissingError } from './errors.ts';
import { probeAccount, probeCode } from './probe-account.ts';
import type { ProvenAccount } from './proven-account.ts';
import { type AccountNeed, StateNeeds } from './state-needs.ts';

const empty = new Uint8Array(0);

export interface ProvenStateOptions extends CachedStateOptions {
  /** Receives the reads that are not cached. */
  readonly needs: StateNeeds;
  /** Code is needed with each account that is not cached, since accounts are mostly read to run them. Default: true. */
  readonly withCode?: boolean;
  /**
   * Answers a missing account with a contract that returns zeros, instead of an absent account, so that calls of it succeed and the run
   * finds further reads. Missing code throws CONTENT_MISSING, since engines keep code by its hash. Default: false.
   */
  readonly isProbe?: boolean;
}

/**
 * The cached part of the state after one block. Walks the tries from the state root through cached nodes. A read that is
 * not cached is collected in `needs` and returns an absent account, zero, or empty code. The result of such a run is
 * invalid and serves to find further reads.
 */
export class ProvenState implements StateReader {
  readonly #state: CachedState;
  readonly #needs: StateNeeds;
  readonly #withCode: boolean;
  readonly #isProbe: boolean;
  readonly #accounts = new Map<string, ProvenAccount | undefined>();
  readonly #slots = new Map<string, Uint8Array>();
  /** Accounts whose code was read. */
  readonly #codes = new Set<string>();
  /** Address by which code can be fetched, by code hash. */
  readonly #holders = new Map<string, Uint8Array>();

  constructor({ needs, withCode = true, isProbe = false, ...options }: ProvenStateOptions) {
    this.#state = new CachedState(options);
    this.#needs = needs;
    this.#withCode = withCode;
    this.#isProbe = isProbe;
  }

  getAccount(address: Uint8Array): ProvenAccount | undefined {
    const key = keyOf(address);
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const account = this.#state.account(address);
    if (account === missing) {
      this.#needs.account(address, { needsCode: this.#withCode });
      return this.#isProbe ? probeAccount : undefined;
    }
    this.#accounts.set(key, account);
    if (account !== undefined) this.#holders.set(keyOf(account.codeHash), address.slice());
    return account;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    if (codeHash === probeAccount.codeHash) return probeCode;
    const holder = this.#holders.get(keyOf(codeHash));
    if (holder !== undefined) this.#codes.add(keyOf(holder));
    const code = this.#state.code(codeHash);
    if (code !== missing) return code;
    if (holder === undefined) throw new TypeError('getCode needs a code hash of an account that was read before');
    this.#needs.account(holder, { needsCode: true });
    if (this.#isProbe) throw new ContentMissingError('code', codeHash);
    return empty;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = keyOf(address) + keyOf(slot);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    this.getAccount(address);
    const account = this.#accounts.get(keyOf(address));
    if (account === undefined) {
      // The account is absent, or not cached, and then its slot is fetched with it.
      if (!this.#accounts.has(keyOf(address))) this.#needs.slot(address, slot);
      return empty;
    }
    const value = this.#state.slot(account, slot);
    if (value === missing) {
      this.#needs.slot(address, slot);
      return empty;
    }
    this.#slots.set(key, value);
    return value;
  }

  /**
   * Proof of an account and of slots (EIP-1186); `undefined` where a node is not cached. The missing reads are in `needs`.
   */
  proof(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined {
    const account = this.#state.accountPath(address);
    if (account === missing) {
      this.#needs.account(address);
      for (const slot of slots) this.#needs.slot(address, slot);
      return undefined;
    }
    const state = account.value && accountFromRlp(account.value);
    const storageRoot = state?.storageRoot ?? emptyTrieRoot;
    const proofs: AccountProof['slots'][number][] = [];
    for (const slot of slots) {
      const path = this.#state.slotPath(storageRoot, slot);
      if (path === missing) this.#needs.slot(address, slot);
      else proofs.push({ value: slotFromRlp(path.value), nodes: path.nodes });
    }
    if (proofs.length < slots.length) return undefined;
    return { account: state, storageRoot, accountNodes: account.nodes, slots: proofs };
  }

  /** Reads that were answered, each once. */
  reads(): readonly AccountNeed[] {
    const reads = new StateNeeds();
    for (const [key, account] of this.#accounts) {
      // A probe reads most accounts to run them, and engines keep code that they read before.
      const runsCode = this.#isProbe && account !== undefined && !isEmptyCode(account.codeHash);
      reads.account(bytesOfKey(key), { needsCode: runsCode || this.#codes.has(key) });
    }
    for (const key of this.#slots.keys()) reads.slot(bytesOfKey(key.slice(0, 20)), bytesOfKey(key.slice(20)));
    return reads.list();
  }

  /** Reports whether the code of an account is cached or empty. */
  hasCode({ codeHash }: ProvenAccount): boolean {
    return this.#state.code(codeHash) !== missing;
  }
}

const bytesOfKey = (key: string) => Buffer.from(key, 'latin1');
