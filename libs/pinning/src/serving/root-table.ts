import { createHash } from 'node:crypto';
import { CID, codecs } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import type { PinMode } from '../pin-store.ts';
import type { ReferenceTables } from './reference-tables.ts';
import type { ServedRoots } from './served-roots.ts';
import type { Change } from './work.ts';

const rootsPerStep = 256;
const modes = ['recursive', 'direct'] as const satisfies readonly PinMode[];

/** Roots whose references are counted or queued, by origin. */
export class RootTable {
  readonly #environment: Environment;
  readonly #references: ReferenceTables;
  readonly #roots: Database;
  readonly #origins: Database;

  constructor(environment: Environment, references: ReferenceTables) {
    this.#environment = environment;
    this.#references = references;
    this.#roots = environment.database('roots');
    this.#origins = environment.database('origins');
  }

  get count(): number {
    return this.#roots.count();
  }

  /** Compares the roots of all origins with the table and queues the differences. */
  async refresh(origins: readonly ServedRoots[]): Promise<void> {
    for (const origin of origins) await this.#refreshOrigin(origin);
    const listed = new Set(origins.map(({ origin }) => origin));
    for (const { value } of [...this.#origins.range()]) {
      const origin = Buffer.from(value).toString();
      if (!listed.has(origin)) await this.#forget(origin);
    }
  }

  async #refreshOrigin(origin: ServedRoots): Promise<void> {
    const id = idOf(origin.origin);
    if (!this.#origins.has(id))
      await this.#environment.transaction(() => this.#origins.put(id, Buffer.from(origin.origin)));
    for (const mode of modes) await this.#compare(prefixOf(id, mode), mode, origin.roots(mode));
  }

  async #forget(origin: string): Promise<void> {
    const id = idOf(origin);
    for (const mode of modes) await this.#compare(prefixOf(id, mode), mode, none());
    await this.#environment.transaction(() => this.#origins.remove(id));
  }

  /** Merges two ordered lists: the current roots and those of the table. */
  async #compare(prefix: Buffer, mode: PinMode, current: AsyncIterable<CID>): Promise<void> {
    const known = this.#keys(prefix);
    let changes: { readonly key: Buffer; readonly change: Change }[] = [];
    const record = async (key: Buffer, change: Change) => {
      changes.push({ key, change });
      if (changes.length >= rootsPerStep) await this.#apply(changes.splice(0), prefix, mode);
    };
    let next = await known.next();
    let last: Buffer | undefined;
    for await (const cid of current) {
      const key = Buffer.concat([prefix, cid.bytes]);
      if (last !== undefined && last.compare(key) >= 0) throw new Error(`Root ${cid} is not in the order of CIDs.`);
      last = key;
      while (!next.done && next.value.compare(key) < 0) {
        await record(next.value, -1);
        next = await known.next();
      }
      if (!next.done && next.value.equals(key)) next = await known.next();
      else await record(key, 1);
    }
    for (; !next.done; next = await known.next()) await record(next.value, -1);
    await this.#apply(changes, prefix, mode);
    changes = [];
  }

  #apply(
    changes: readonly { key: Buffer; change: Change }[],
    prefix: Buffer,
    mode: PinMode,
  ): Promise<void> | undefined {
    if (changes.length === 0) return undefined;
    return this.#environment.transaction(() => {
      for (const { key, change } of changes) {
        if (this.#roots.has(key) === (change === 1)) continue;
        if (change === 1) this.#roots.put(key, new Uint8Array(1));
        else this.#roots.remove(key);
        const cid = CID.decode(key.subarray(prefix.length));
        // A direct pin serves one block without its links.
        this.#references.changeRoot(mode === 'direct' ? CID.createV1(codecs.raw, cid.multihash) : cid, change);
      }
    });
  }

  /** Streams keys in pages: a long read in one snapshot would keep LMDB from reusing freed pages. */
  async *#keys(prefix: Buffer): AsyncGenerator<Buffer, undefined> {
    const end = Buffer.from(prefix);
    end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
    for (let start: Buffer = prefix; ; ) {
      const page = [...this.#roots.keys({ start, end, limit: rootsPerStep })].map((key) => Buffer.from(key));
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < rootsPerStep) return undefined;
      start = Buffer.concat([last, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function idOf(origin: string): Buffer {
  return createHash('sha256').update(origin).digest().subarray(0, 12);
}

function prefixOf(id: Buffer, mode: PinMode): Buffer {
  return Buffer.concat([id, Buffer.of(mode === 'recursive' ? 1 : 2)]);
}

async function* none(): AsyncGenerator<CID> {}
