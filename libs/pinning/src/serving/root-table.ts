import { createHash } from 'node:crypto';
import { CID, codecs } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import type { ChangedRoot, PinMode, RootChanges } from '../pin-store.ts';
import type { ReferenceTables } from './reference-tables.ts';
import type { ServedRoots } from './served-roots.ts';
import type { Change } from './work.ts';

const rootsPerStep = 256;
/** Interval between comparisons of all roots, where changes of roots are listed. */
const compareEveryMs = 3_600_000;

/** Lookups of one report: roots times origins. Larger reports are left to the comparison. */
const examinedMax = 20_000;

/** Origin with lookups of single roots. */
type ExaminedRoots = ServedRoots & Required<Pick<ServedRoots, 'isRoot'>>;

/** Origin whose changes are listed. */
type FollowedRoots = ExaminedRoots & Required<Pick<ServedRoots, 'pins'>>;

function isExamined(origin: ServedRoots): origin is ExaminedRoots {
  return origin.isRoot !== undefined;
}

function hasChanges(origin: ServedRoots): origin is FollowedRoots {
  return origin.pins?.rootChanges !== undefined && origin.isRoot !== undefined;
}

const modes = ['recursive', 'direct'] as const satisfies readonly PinMode[];

/** Roots whose references are counted or queued, by origin. */
export class RootTable {
  readonly #environment: Environment;
  readonly #references: ReferenceTables;
  readonly #roots: Database;
  readonly #origins: Database;
  /** Position in the changes of the pins. Kept in memory: each start compares all roots. */
  #position: string | undefined;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(environment: Environment, references: ReferenceTables) {
    this.#environment = environment;
    this.#references = references;
    this.#roots = environment.database('roots');
    this.#origins = environment.database('origins');
  }

  get count(): number {
    return this.#roots.count();
  }

  /**
   * Queues the differences between the roots of all origins and the table. Where changes of the pins are listed, only changed
   * roots are examined, except in the first refresh, once an hour, and for new origins.
   */
  async refresh(origins: readonly ServedRoots[]): Promise<void> {
    try {
      if (!(await this.#applyChanges(origins))) await this.#compareAll(origins);
    } catch (error) {
      // An origin may have been compared in part only.
      this.#position = undefined;
      throw error;
    }
    const listed = new Set(origins.map(({ origin }) => origin));
    for (const { value } of [...this.#origins.range()]) {
      const origin = Buffer.from(value).toString();
      if (!listed.has(origin)) await this.#forget(origin);
    }
  }

  /** Queues the differences of these roots in the origins that were compared before. */
  async examine(origins: readonly ServedRoots[], cids: readonly CID[]): Promise<void> {
    if (origins.length * cids.length > examinedMax) return;
    for (const origin of origins) {
      if (!isExamined(origin) || !this.#origins.has(idOf(origin.origin))) continue;
      const { account = '' } = origin;
      await this.#examine(
        origin,
        cids.flatMap((cid) => modes.map((mode) => ({ account, cid, mode }))),
      );
    }
  }

  /** Compares all roots. The position is read first, so that changes during the comparison are examined by the next refresh. */
  async #compareAll(origins: readonly ServedRoots[]): Promise<void> {
    const current = await origins.find(hasChanges)?.pins.rootChanges?.(undefined);
    this.#position = undefined;
    for (const origin of origins) await this.#refreshOrigin(origin);
    this.#position = current?.position;
    this.#comparedAt = performance.now();
  }

  /** Examines changed roots. Returns false if all roots must be compared. */
  async #applyChanges(origins: readonly ServedRoots[]): Promise<boolean> {
    const pins = origins.find(hasChanges)?.pins;
    const following = origins.filter(hasChanges).filter((origin) => origin.pins === pins);
    if (pins === undefined || following.length < origins.length || this.#position === undefined) return false;
    if (performance.now() - this.#comparedAt > compareEveryMs) return false;
    for (let isLast = false; !isLast; ) {
      const changes: RootChanges | undefined = await pins.rootChanges?.(this.#position);
      if (changes === undefined) return false;
      for (const origin of following)
        if (this.#origins.has(idOf(origin.origin))) await this.#examine(origin, changes.roots);
      this.#position = changes.position;
      ({ isLast } = changes);
    }
    for (const origin of following) if (!this.#origins.has(idOf(origin.origin))) await this.#refreshOrigin(origin);
    return true;
  }

  async #examine(origin: ExaminedRoots, changed: readonly ChangedRoot[]): Promise<void> {
    const { account } = origin;
    const own = changed.filter((root) => account === undefined || account === root.account);
    const distinct = [...new Map(own.map((root) => [`${root.mode} ${root.cid}`, root])).values()];
    for (let from = 0; from < distinct.length; from += rootsPerStep) {
      const roots = distinct.slice(from, from + rootsPerStep);
      const states = await Promise.all(roots.map((root) => origin.isRoot(root)));
      for (const mode of modes) {
        const prefix = prefixOf(idOf(origin.origin), mode);
        const changes = roots.flatMap((root, n): { readonly key: Buffer; readonly change: Change }[] =>
          root.mode === mode ? [{ key: Buffer.concat([prefix, root.cid.bytes]), change: states[n] ? 1 : -1 }] : [],
        );
        await this.#apply(changes, prefix, mode);
      }
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
