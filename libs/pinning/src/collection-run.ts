import { CID } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import type { CollectionReport, CollectionState } from './collection-report.ts';
import type { CollectorOptions, StoreCollectOptions } from './collector-options.ts';
import { isDagFault } from './dag-fault.ts';
import { Marker } from './marker.ts';
import type { PinMode } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { TimeSlicer } from './time-slicer.ts';

const sweepLimit = 256;
const saveEveryMs = 1000;
const unreadableMax = 100;

type RunOptions = Pick<StoreCollectOptions, 'cacheGraceSeconds'> & { readonly signal: AbortSignal };

/** One run of a collection, from its stored state to its end. */
export class CollectionRun {
  readonly #options: CollectorOptions;
  readonly #run: RunOptions;
  readonly #slicer = new TimeSlicer();
  readonly #marker: Marker;
  readonly #unreadable: { readonly root: string; readonly reason: string }[] = [];
  #state: CollectionState;
  #savedAt = performance.now();
  #roots = 0;
  #removed = 0;
  #removedBytes = 0;

  constructor(options: CollectorOptions, state: CollectionState, run: RunOptions) {
    const { blocks, collectable } = options;
    this.#options = options;
    this.#state = state;
    this.#run = run;
    this.#marker = new Marker({ blocks, collectable, cycle: state.cycle, slicer: this.#slicer, signal: run.signal });
  }

  async run(): Promise<CollectionReport> {
    const began = performance.now();
    if (this.#state.phase === 'recursive') await this.#markRoots('recursive', 'sources');
    if (this.#state.phase === 'sources') await this.#markSources();
    if (this.#state.phase === 'direct') await this.#markRoots('direct', 'sweep');
    // The blocks below an unreadable DAG are unknown, so nothing may be removed. The next collection starts again.
    if (this.#unreadable.length === 0) await this.#sweep();
    await this.#save({ cycle: this.#state.cycle, phase: 'done' });
    return {
      cycle: this.#state.cycle,
      roots: this.#roots,
      marked: this.#marker.marked,
      removed: this.#removed,
      removedBytes: this.#removedBytes,
      duration: performance.now() - began,
      unreadable: this.#unreadable,
    };
  }

  async #markRoots(mode: PinMode, next: CollectionState['phase']): Promise<void> {
    const { cursor } = this.#state;
    const after = cursor === undefined ? undefined : CID.decode(Buffer.from(cursor, 'hex'));
    const { pins } = this.#options;
    for await (const { cid } of pins.roots(mode, after)) {
      if (mode === 'recursive') await this.#markDag(cid, () => pins.isPinned(mode, cid));
      else await this.#marker.markBlock(cid);
      await this.#savePeriodically(cid.bytes);
    }
    await this.#advance(next);
  }

  async #markSources(): Promise<void> {
    for (const source of this.#options.sources ?? [])
      for await (const root of source.roots()) await this.#markDag(root, () => isRootOf(source, root));
    await this.#advance('direct');
  }

  /** Marks a DAG. A root that was released during the walk may be incomplete, since its owner may have removed blocks. */
  async #markDag(root: CID, isPinned: () => Promise<boolean>): Promise<void> {
    this.#roots++;
    try {
      await this.#marker.markDag(root);
    } catch (error) {
      this.#run.signal.throwIfAborted();
      if (!isDagFault(error)) throw error;
      if (!(await isPinned())) return;
      if (this.#unreadable.length < unreadableMax)
        this.#unreadable.push({ root: root.toString(), reason: errorText(error) });
    }
  }

  async #sweep(): Promise<void> {
    const { collectable, graceSeconds = 3600 } = this.#options;
    const { cycle, cursor } = this.#state;
    const { cacheGraceSeconds } = this.#run;
    let start: Uint8Array | undefined = cursor === undefined ? undefined : Buffer.from(cursor, 'hex');
    do {
      this.#run.signal.throwIfAborted();
      await this.#slicer.step();
      const step = await collectable.sweep({ cycle, graceSeconds, cacheGraceSeconds, start, limit: sweepLimit });
      this.#removed += step.removed.length;
      this.#removedBytes += step.bytes;
      start = step.next;
      if (start) await this.#savePeriodically(start);
    } while (start !== undefined);
  }

  /** Advances to a phase. After an unreadable root the state is not stored, so that a resumed run finds that root again. */
  async #advance(phase: CollectionState['phase']): Promise<void> {
    if (this.#unreadable.length > 0) this.#state = { cycle: this.#state.cycle, phase };
    else await this.#save({ cycle: this.#state.cycle, phase });
  }

  /** Stores the position, at most once per second. */
  async #savePeriodically(cursor: Uint8Array): Promise<void> {
    if (this.#unreadable.length > 0 || performance.now() - this.#savedAt < saveEveryMs) return;
    await this.#save({ ...this.#state, cursor: Buffer.from(cursor).toString('hex') });
  }

  async #save(state: CollectionState): Promise<void> {
    // Marks are written first, so that the cursor is never ahead of them after a kill.
    await this.#marker.flush();
    await this.#options.pins.setCollectionState(state);
    this.#state = state;
    this.#savedAt = performance.now();
  }
}

async function isRootOf(source: RootSource, root: CID): Promise<boolean> {
  for await (const other of source.roots()) if (other.equals(root)) return true;
  return false;
}
