// Every read of a warm call passes here; proven-calls.bench.ts of @cairn/proven-chain measures it.
import type { StateReader } from '@cairn/block-model';
import { CachedState, type CachedStateOptions, missing } from './cached-state.ts';
import { ContentMissingError } from './errors.ts';
import type { ProvenAccount } from './proven-account.ts';

const empty = new Uint8Array(0);

/** The cached part of the state after one block. A read that is not cached throws CONTENT_MISSING, so that no cache above keeps a wrong value. */
export class StrictState implements StateReader {
  readonly #state: CachedState;

  constructor(options: CachedStateOptions) {
    this.#state = new CachedState(options);
  }

  /** @throws CONTENT_MISSING */
  getAccount(address: Uint8Array): ProvenAccount | undefined {
    return orThrow(this.#state.account(address), 'account', address);
  }

  /** @throws CONTENT_MISSING */
  getCode(codeHash: Uint8Array): Uint8Array {
    return orThrow(this.#state.code(codeHash), 'code', codeHash);
  }

  /** @throws CONTENT_MISSING */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.getAccount(address);
    return account === undefined ? empty : orThrow(this.#state.slot(account, slot), 'slot', slot);
  }
}

function orThrow<T>(read: T | typeof missing, kind: string, name: Uint8Array): T {
  if (read === missing) throw new ContentMissingError(kind, name);
  return read;
}
