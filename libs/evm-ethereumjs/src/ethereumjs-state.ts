import type { WorldState } from '@cairn/evm';
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address } from '@ethereumjs/util';

/**
 * Adapts a {@link WorldState} to @ethereumjs. The interpreter keeps a reference to this object, so consecutive calls share it
 * and replace the world state inside.
 */
export class EthereumjsState implements StateManagerInterface {
  #world: WorldState | undefined;

  readonly originalStorageCache = {
    get: async (address: Address, slot: Uint8Array) => this.world.getOriginalStorage(address.bytes, slot),
    clear: () => undefined,
  };

  get world(): WorldState {
    if (this.#world === undefined) throw new Error('No call is running. Call use() first.');
    return this.#world;
  }

  use(world: WorldState | undefined): void {
    this.#world = world;
  }

  /** Returns a new object each time, since the interpreter changes it. */
  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.world.getAccount(address.bytes);
    return account && new Account(account.nonce, account.balance, account.storageRoot, account.codeHash);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    this.world.setAccount(
      address.bytes,
      account && {
        nonce: account.nonce,
        balance: account.balance,
        codeHash: account.codeHash,
        storageRoot: account.storageRoot,
      },
    );
  }

  async deleteAccount(address: Address): Promise<void> {
    this.world.setAccount(address.bytes, undefined);
  }

  async modifyAccountFields(address: Address, { nonce, balance, codeHash }: AccountFields): Promise<void> {
    this.world.updateAccount(address.bytes, {
      ...(nonce !== undefined && { nonce }),
      ...(balance !== undefined && { balance }),
      ...(codeHash !== undefined && { codeHash }),
    });
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    this.world.setCode(address.bytes, code);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.world.getCode(address.bytes);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.world.getCode(address.bytes).length;
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    return this.world.getStorage(address.bytes, slot);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    this.world.setStorage(address.bytes, slot, value);
  }

  async clearStorage(address: Address): Promise<void> {
    this.world.clearStorage(address.bytes);
  }

  async checkpoint(): Promise<void> {
    this.world.checkpoint();
  }

  async commit(): Promise<void> {
    this.world.commit();
  }

  async revert(): Promise<void> {
    this.world.revert();
  }

  getStateRoot(): Promise<Uint8Array> {
    return Promise.reject(new Error('A call has no state root.'));
  }

  setStateRoot(): Promise<void> {
    return Promise.reject(new Error('A call has no state root.'));
  }

  hasStateRoot(): Promise<boolean> {
    return Promise.resolve(false);
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return new EthereumjsState();
  }
}
