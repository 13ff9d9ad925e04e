import { type Hex, hexFromBytes, type StateReader } from '@cairn/block-model';
import { WorldState } from '@cairn/evm';

/** Records code reads. It wraps the world, since the code cache of all states hides reads from the state. */
export class RecordingWorld extends WorldState {
  readonly codesRead = new Map<Hex, Uint8Array>();

  override getCode(address: Uint8Array): Uint8Array {
    const code = super.getCode(address);
    if (code.length > 0) this.codesRead.set(hexFromBytes(address), code);
    return code;
  }
}

/** Records reads of accounts and slots. */
export class RecordingState implements StateReader {
  readonly #state: StateReader;
  readonly reads = new Map<Hex, Set<Hex>>();

  constructor(state: StateReader) {
    this.#state = state;
  }

  get isolatesCode(): boolean {
    return this.#state.isolatesCode === true;
  }

  getAccount(address: Uint8Array): ReturnType<StateReader['getAccount']> {
    this.#slotsOf(address);
    return this.#state.getAccount(address);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return this.#state.getCode(codeHash);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#slotsOf(address).add(hexFromBytes(slot));
    return this.#state.getStorage(address, slot);
  }

  #slotsOf(address: Uint8Array): Set<Hex> {
    const key = hexFromBytes(address);
    let slots = this.reads.get(key);
    if (slots === undefined) {
      slots = new Set();
      this.reads.set(key, slots);
    }
    return slots;
  }
}
