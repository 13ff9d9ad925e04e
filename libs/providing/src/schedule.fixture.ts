import { type CID, cidFor } from '@cairn/cid';
import type { AnnounceRecord, AnnounceRegion, Announcer } from './content-router.ts';
import { routingUnavailable } from './errors.ts';
import { regionOf } from './keyspace.ts';
import { ProvideSchedule, type ScheduleEvent } from './provide-schedule.ts';
import type { ProvideSource } from './provide-source.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { MemoryProvideStore } from './testing/memory-provide-store.ts';

export const hour = 3_600_000;
export const cidOf = (text: string): CID => cidFor(Buffer.from(text), { codec: 'raw' });
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Announcer that records the times of all announcements. */
export class FakeAnnouncer implements Announcer {
  readonly times = new Map<string, number[]>();
  readonly #now: () => number;
  bits = 6;
  isOnline = true;
  /** Decides the outcome of each announcement. */
  accepts: (record: AnnounceRecord) => boolean = () => true;
  /** Awaited in each announcement. */
  gate: () => Promise<void> = async () => {};
  open = 0;
  openMax = 0;
  lookups = 0;
  calls = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async openRegion({ key }: AnnounceRecord): Promise<AnnounceRegion> {
    this.lookups++;
    if (!this.isOnline) throw routingUnavailable('the test is offline');
    return { region: regionOf(key, this.bits), announce: (records) => this.#announce(records) };
  }

  async #announce(records: readonly AnnounceRecord[]): Promise<readonly boolean[]> {
    this.calls++;
    this.openMax = Math.max(this.openMax, ++this.open);
    await this.gate();
    this.open--;
    return records.map((record) => {
      if (!this.isOnline || !this.accepts(record)) return false;
      const name = hex(record.multihash);
      this.times.set(name, [...(this.times.get(name) ?? []), this.#now()]);
      return true;
    });
  }

  timesOf(cid: CID): readonly number[] {
    return this.times.get(hex(cid.multihash.bytes)) ?? [];
  }
}

/** Content of a node, which tests change. */
class FakeSource implements ProvideSource {
  readonly content = new Map<string, CID>();

  add(...cids: readonly CID[]): void {
    for (const cid of cids) this.content.set(cid.toString(), cid);
  }

  remove(cid: CID): void {
    this.content.delete(cid.toString());
  }

  async *cids(): AsyncGenerator<CID> {
    yield* [...this.content.values()];
  }

  async includes(cid: CID): Promise<boolean> {
    return this.content.has(cid.toString());
  }
}

/** A schedule over fakes, whose process can crash. */
export class ScheduleWorld {
  readonly clock = new FakeClock();
  readonly store = new MemoryProvideStore();
  readonly source = new FakeSource();
  readonly announcer = new FakeAnnouncer(() => this.clock.now());
  readonly events: ScheduleEvent[] = [];
  readonly intervalMs = 22 * hour;
  #isAlive = { value: true };
  schedule: ProvideSchedule = this.#start();

  #start(): ProvideSchedule {
    const alive = { value: true };
    this.#isAlive = alive;
    const schedule = new ProvideSchedule({
      store: mortal(this.store, alive),
      announcer: mortal(this.announcer, alive),
      source: this.source,
      clock: mortal(this.clock, alive),
      intervalMs: this.intervalMs,
      reconcileMs: hour,
      jitter: () => 0.5,
      onEvent: (event) => this.events.push(event),
    });
    schedule.start();
    return schedule;
  }

  /** Ends the process at this moment: none of its further calls has an effect. A new process starts. */
  crash(): void {
    this.#isAlive.value = false;
    this.schedule = this.#start();
  }

  async run(ms: number): Promise<void> {
    await this.clock.advance(ms, () => this.settle());
  }

  /** Waits until the schedule makes no calls. */
  async settle(): Promise<void> {
    let calls = -1;
    for (let idle = 0; idle < 8; idle++) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.store.calls + this.announcer.lookups;
      if (now !== calls) idle = 0;
      calls = now;
    }
  }
}

/** Passes calls on while a process is alive. Later calls never return. */
function mortal<T extends object>(target: T, alive: { readonly value: boolean }): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name === 'now' || name === 'after') return alive.value ? Reflect.apply(member, object, args) : 0;
        if (!alive.value) return new Promise(() => {});
        const result: unknown = Reflect.apply(member, object, args);
        return result instanceof Promise
          ? result.then((value) => (alive.value ? value : new Promise(() => {})))
          : result;
      };
    },
  });
}
