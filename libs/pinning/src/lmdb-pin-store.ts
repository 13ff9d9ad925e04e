import { CID } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
import { PinNotFoundError } from './errors.ts';
import type { Pin, PinMode, PinStore, Usage } from './pin-store.ts';
import type { DagSize } from './walk-dag.ts';

const pageLength = 256;

class LmdbPinStore implements PinStore {
  readonly #environment: Environment;
  readonly #pins: Database;
  readonly #usage: Database;
  readonly #complete: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#pins = environment.database('pins');
    this.#usage = environment.database('usage');
    this.#complete = environment.database('complete');
  }

  async put(account: string, pins: readonly Pin[]): Promise<void> {
    const prefix = accountPrefix(account);
    await this.#environment.transaction(() => {
      let change: Usage = { pins: 0, bytes: 0 };
      for (const pin of pins) {
        const key = Buffer.concat([prefix, pin.cid.bytes]);
        const before = this.#pins.get(key);
        change = {
          pins: change.pins + (before ? 0 : 1),
          bytes: change.bytes + pin.size.bytes - (before ? decodePin(pin.cid, before).size.bytes : 0),
        };
        this.#pins.put(key, encodePin(pin));
        if (pin.mode === 'recursive') this.#complete.put(pin.cid.multihash.bytes, encode(pin.size));
      }
      this.#changeUsage(prefix, change);
    });
  }

  async remove(account: string, cids: readonly CID[]): Promise<void> {
    const prefix = accountPrefix(account);
    await this.#environment.transaction(() => {
      let bytes = 0;
      for (const cid of cids) {
        const key = Buffer.concat([prefix, cid.bytes]);
        const before = this.#pins.get(key);
        if (before === undefined) throw new PinNotFoundError(cid.toString());
        bytes += decodePin(cid, before).size.bytes;
        this.#pins.remove(key);
      }
      this.#changeUsage(prefix, { pins: -cids.length, bytes: -bytes });
    });
  }

  #changeUsage(prefix: Uint8Array, change: Usage): void {
    const { pins, bytes } = this.#usageOf(prefix);
    this.#usage.put(prefix, encode({ pins: pins + change.pins, bytes: bytes + change.bytes }));
  }

  #usageOf(prefix: Uint8Array): Usage {
    const found = this.#usage.get(prefix);
    return found ? decode<Usage>(found) : { pins: 0, bytes: 0 };
  }

  async get(account: string, cid: CID): Promise<Pin | undefined> {
    const found = this.#pins.get(Buffer.concat([accountPrefix(account), cid.bytes]));
    return found && decodePin(cid, found);
  }

  async *list(account: string): AsyncGenerator<Pin> {
    const prefix = accountPrefix(account);
    const end = Buffer.from(prefix);
    end[end.length - 1] = 1;
    let start: Uint8Array = prefix;
    while (true) {
      // In pages, so that a slow client does not hold a snapshot of the store open.
      const page = [...this.#pins.range({ start, end, limit: pageLength })];
      for (const { key, value } of page) yield decodePin(CID.decode(key.subarray(prefix.length)), value);
      const last = page.at(-1);
      if (last === undefined || page.length < pageLength) return;
      start = Buffer.concat([last.key, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async usage(account: string): Promise<Usage> {
    return this.#usageOf(accountPrefix(account));
  }

  async setComplete(root: CID, size: DagSize): Promise<void> {
    await this.#environment.transaction(() => this.#complete.put(root.multihash.bytes, encode(size)));
  }

  async complete(root: CID): Promise<DagSize | undefined> {
    const found = this.#complete.get(root.multihash.bytes);
    return found && decode<DagSize>(found);
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

/** Account ids hold no zero byte, so no account's prefix is the beginning of another's. */
function accountPrefix(account: string): Buffer {
  return Buffer.from(`${account}\0`);
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function decode<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

interface PinRecord {
  readonly mode: PinMode;
  readonly name?: string | undefined;
  readonly createdAt: number;
  readonly size: DagSize;
}

function encodePin({ mode, name, createdAt, size }: Pin): Buffer {
  return encode({ mode, name, createdAt, size } satisfies PinRecord);
}

function decodePin(cid: CID, bytes: Uint8Array): Pin {
  const { mode, name, createdAt, size } = decode<PinRecord>(bytes);
  return { cid, mode, name, createdAt, size };
}

/** Opens the records of pins in an LMDB environment. @throws STORE_UNAVAILABLE, STORE_VERSION_UNSUPPORTED */
export async function openLmdbPinStore({ directory }: { readonly directory: string }): Promise<PinStore> {
  return new LmdbPinStore(await Environment.open({ directory, format: { name: 'cairn-pins', version: 1 } }));
}
