import type { CollectableBlockstore } from '@cairn/blockstore';
import { CID, cidFor, codecs } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Collector, type PinMode, Pinning, type PinStore, type WriteSession, walkDag } from '../index.ts';

const blockOf = (codec: 'raw' | 'dag-cbor', bytes: Uint8Array) => ({ cid: cidFor(bytes, { codec }), bytes });
type PoolBlock = ReturnType<typeof blockOf>;

/** DAGs with shared blocks: node n links to earlier blocks. */
const pool: PoolBlock[] = ['0', '1', '2'].map((text) => blockOf('raw', Buffer.from(text)));
for (const indexes of [[0, 1], [1, 2], [3], [3, 4, 2], [5, 6], [0]]) {
  const links = indexes.flatMap((n) => pool[n]?.cid ?? []);
  pool.push(blockOf('dag-cbor', dagCbor.encode({ links, text: `node ${pool.length}` })));
}

/** Returns the blocks reachable from a block of the pool, including itself. */
function closure(cid: CID): readonly PoolBlock[] {
  const found = pool.find((block) => block.cid.equals(cid));
  if (found === undefined) return [];
  if (found.cid.code === codecs.raw) return [found];
  return [found, ...dagCbor.decode<{ links: CID[] }>(found.bytes).links.flatMap(closure)];
}

const block = fc.constantFrom(...pool);
const account = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), account, block }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), account, block, isDirect: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unpin' as const), account, block }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), account, block }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('end' as const, 'collect' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), calls: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Stores of a run. */
export interface CollectorModelStores {
  readonly pins: PinStore;
  readonly blocks: CollectableBlockstore;
}

/** Opens the stores of a run, again after a reopening. */
type Open = () => Promise<CollectorModelStores>;

/** Runs the steps on stores and on a model of pins by account. */
class Run {
  readonly #open: Open;
  #stores: CollectorModelStores;
  readonly #pinned = new Map<string, Map<PoolBlock, PinMode>>();
  #sessions: WriteSession[] = [];
  /** Blocks that open sessions have written. */
  #written: PoolBlock[] = [];

  constructor(open: Open, stores: CollectorModelStores) {
    this.#open = open;
    this.#stores = stores;
  }

  async close(): Promise<void> {
    await this.#stores.pins.close();
    await this.#stores.blocks.close();
  }

  get #pinning(): Pinning {
    return new Pinning({ ...this.#stores, collectable: this.#stores.blocks });
  }

  #pinsOf(name: string): Map<PoolBlock, PinMode> {
    const pins = this.#pinned.get(name) ?? new Map<PoolBlock, PinMode>();
    this.#pinned.set(name, pins);
    return pins;
  }

  async perform(next: Step): Promise<void> {
    if (next.kind === 'add' || next.kind === 'write') await this.#write(next);
    else if (next.kind === 'pin') await this.#pin(next);
    else if (next.kind === 'unpin') {
      if (this.#pinsOf(next.account).delete(next.block)) await this.#pinning.unpin(next.account, [next.block.cid]);
    } else if (next.kind === 'end') await this.#endSessions();
    else if (next.kind === 'collect') await this.#collect();
    else if (next.kind === 'kill') await this.#collectAndKill(next.calls);
    else {
      await this.#endSessions();
      await this.close();
      this.#stores = await this.#open();
    }
  }

  async #write({ kind, account: name, block: root }: Extract<Step, { readonly kind: 'add' | 'write' }>): Promise<void> {
    const session = await this.#pinning.write(name);
    const dag = closure(root.cid);
    await session.store.putMany(dag);
    if (kind === 'add') {
      await session.pin(root.cid);
      this.#pinsOf(name).set(root, 'recursive');
      await session.end();
    } else {
      await session.store.sync();
      this.#sessions.push(session);
      this.#written.push(...dag);
    }
  }

  async #pin({ account: name, block: root, isDirect }: Extract<Step, { readonly kind: 'pin' }>): Promise<void> {
    const { blocks } = this.#stores;
    const mode = isDirect ? 'direct' : 'recursive';
    const isComplete = isDirect ? await blocks.has(root.cid) : await succeeds(walkDag(blocks, root.cid));
    const isConflict = isDirect && this.#pinsOf(name).get(root) === 'recursive';
    const isPinned = await succeeds(this.#pinning.pin(name, root.cid, { mode }));
    expect(isPinned).toBe(isComplete && !isConflict);
    if (isPinned) this.#pinsOf(name).set(root, mode);
  }

  async #endSessions(): Promise<void> {
    for (const session of this.#sessions) await session.end();
    this.#sessions = [];
    this.#written = [];
  }

  async #collect(blocks = this.#stores.blocks): Promise<void> {
    await new Collector({ pins: this.#stores.pins, blocks, collectable: blocks, graceSeconds: 0 }).collect();
    await this.#expectRetainedBlocks();
  }

  /** Stops a collection after some calls of the store. Its lock is released, as that of an ended process. */
  async #collectAndKill(calls: number): Promise<void> {
    let left = calls;
    const dying = new Proxy(this.#stores.blocks, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (left-- <= 0) throw new Error('killed');
          return Reflect.apply(value, target, args);
        };
      },
    });
    await this.#collect(dying).catch((error: Error) => expect(error.message).toContain('killed'));
    await this.#expectRetainedBlocks();
  }

  async #expectRetainedBlocks(): Promise<void> {
    const { blocks } = this.#stores;
    for (const pins of this.#pinned.values())
      for (const [{ cid }, mode] of pins) {
        expect(await blocks.has(cid)).toBe(true);
        if (mode === 'recursive') await walkDag(blocks, cid);
      }
    for (const { cid } of this.#written) expect(await blocks.has(cid)).toBe(true);
  }

  /** Ends all sessions, collects, and expects exactly the blocks and the usage of the model. */
  async finish(): Promise<void> {
    await this.#endSessions();
    // Twice, since an interrupted collection resumes with its earlier marks.
    await this.#collect();
    await this.#collect();
    const reachable = new Set<PoolBlock>();
    for (const pins of this.#pinned.values())
      for (const [root, mode] of pins)
        for (const each of mode === 'recursive' ? closure(root.cid) : [root]) reachable.add(each);
    expect((await this.#stores.blocks.stats()).blocks).toBe(reachable.size);
    const pinning = this.#pinning;
    for (const name of ['a', 'b', 'c']) expect(await pinning.usage(name)).toEqual(await pinning.recount(name));
    await this.close();
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}

/**
 * Model test of collections that are killed and resumed, beside writes and pins of several accounts.
 * @param create prepares empty stores and returns a function that opens them
 */
export function describeCollectorModel(name: string, create: () => Promise<Open> | Open, { numRuns = 25 } = {}): void {
  test(`${name}: collections keep exactly the retained blocks under random work with kills`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const open = await create();
        const run = new Run(open, await open());
        for (const next of steps) await run.perform(next);
        await run.finish();
      }),
      { numRuns },
    );
  }, 300_000);
}
