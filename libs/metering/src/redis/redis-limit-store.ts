import { randomUUID } from 'node:crypto';
import { isCairnError } from '@cairn/errors';
import type { Redis } from '@cairn/redis';
import { bucketTokens } from '../limits/counter.ts';
import type { HoldRequest, HoldResult, LimitStore, TakeRequest, TakeResult } from '../limits/limit-store.ts';
import { holdAnswerFrom, limitKey, type TakeAnswer, takeAnswerFrom } from './answers.ts';
import { BoundedMap } from './bounded-map.ts';
import { type CounterShare, holdShare, type KnownCounter, startShare } from './local-share.ts';
import { ProcessRegistry } from './process-registry.ts';
import { holdScript, takeScript } from './scripts.ts';

export interface RedisLimitStoreOptions {
  /**
   * Processes that share the limits, assumed while this process has not reached Redis. Later it is the number of processes that
   * registered in the last 10 seconds. Default: 4
   */
  readonly processesAssumed?: number;
  /**
   * Time after a lost connection during which the process still uses its share, in milliseconds. Meanwhile all processes report
   * what they hold, since the server may have lost its data. Default: 1500
   */
  readonly settleMs?: number;
  /** Milliseconds since 1970, for tests. Default: the clock of the Redis server. */
  readonly now?: () => number;
}

/** Counters and permits in memory: those that were used last. */
const entriesMax = 20_000;
/** Keys that are reported to Redis at a time after a lost connection. */
const reportBatch = 200;
/** Difference of two clocks, in milliseconds, below which a measurement counts as delay of the answer. */
const clockToleranceMs = 1000;

/** State of one counter in this process. */
interface Counter {
  /** Rule of the last request. */
  rule: TakeRequest['rule'];
  known: KnownCounter | undefined;
  /** Present while Redis is away, and until the counter is reported. */
  share: CounterShare | undefined;
  /** Tokens of earlier shares that Redis has to be charged for. */
  owed: number;
}

/** Permits that this process holds. */
interface Holding {
  readonly request: HoldRequest;
  readonly held: number;
}

/**
 * Counters in Redis. While the server of a key is away, the process grants its share of the limit from memory, and reports it
 * afterwards. `docs/decisions/token-lots.md` describes the rules.
 */
class RedisLimitStore implements LimitStore {
  readonly #redis: Redis;
  readonly #settleMs: number;
  readonly #now: (() => number) | undefined;
  readonly #registry: ProcessRegistry;
  readonly #counters = new BoundedMap<string, Counter>(entriesMax);
  readonly #holdings = new BoundedMap<string, Holding>(entriesMax);
  readonly #stopListening: () => void;
  /** Time of the server minus that of this process, in milliseconds. */
  #clockOffset = 0;
  #reportTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(redis: Redis, { processesAssumed = 4, settleMs = 1500, now }: RedisLimitStoreOptions) {
    this.#redis = redis;
    this.#settleMs = settleMs;
    this.#now = now;
    this.#registry = new ProcessRegistry(redis, { id: randomUUID(), assumed: processesAssumed });
    this.#stopListening = redis.onUp(() => this.#connected());
  }

  async take(requests: readonly TakeRequest[]): Promise<TakeResult[]> {
    this.#registry.use();
    return await Promise.all(requests.map((request) => this.#take(request)));
  }

  async hold(request: HoldRequest): Promise<HoldResult> {
    this.#registry.use();
    const key = limitKey('permits', request.key);
    if (!this.#isShared(key)) return this.#holdLocally(key, request);
    try {
      const result = await this.#sendHold(key, request);
      this.#remember(key, request, result.held);
      return result;
    } catch (error) {
      if (!isCairnError(error)) throw error;
      return this.#holdLocally(key, request);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reportTimer);
    this.#stopListening();
    await this.#registry.close();
  }

  /** Whether Redis decides about a key now. */
  #isShared(key: string): boolean {
    const { isUp, isReconnected, upAt } = this.#redis.stateOf(key);
    return isUp && (!isReconnected || performance.now() - upAt >= this.#settleMs);
  }

  async #take(request: TakeRequest): Promise<TakeResult> {
    const key = limitKey(request.rule.kind, request.key);
    const counter = this.#counters.get(key) ?? { rule: request.rule, known: undefined, share: undefined, owed: 0 };
    counter.rule = request.rule;
    this.#counters.set(key, counter);
    if (!this.#isShared(key)) return this.#takeLocally(counter, request);
    try {
      return await this.#sendTake(key, counter, request);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      // Returned tokens may have arrived, so that they are not returned again. A debt is charged again: it is never lost.
      const isSent = error.code !== 'REDIS_UNAVAILABLE' && error.code !== 'REDIS_REFUSED';
      const give = isSent ? Math.min(0, request.give ?? 0) : (request.give ?? 0);
      return this.#takeLocally(counter, { ...request, give });
    }
  }

  /** Takes tokens in Redis, and reports there what the share has granted. */
  async #sendTake(key: string, counter: Counter, request: TakeRequest): Promise<TakeResult> {
    const { rule, give = 0, min, want } = request;
    const { share, known } = counter;
    const earlier = counter.owed;
    const owed = earlier + (share?.owed(this.#serverNow()) ?? 0);
    // A concurrent call must not report the same tokens.
    counter.share = undefined;
    counter.owed = 0;
    try {
      const answer = await this.#runTake(key, known, { rule, give: give - owed, min, want });
      counter.known = answer.known;
      const { granted, remaining, retryAfterMs, endsAt } = answer;
      return {
        granted,
        remaining: Math.max(0, Math.floor(remaining)),
        retryAfterMs,
        ...(endsAt !== undefined && { endsAt: endsAt - this.#clockOffset }),
      };
    } catch (error) {
      if (counter.share === undefined) {
        counter.share = share;
        counter.owed += earlier;
      } else counter.owed += Math.max(0, owed);
      throw error;
    }
  }

  async #runTake(
    key: string,
    known: KnownCounter | undefined,
    { rule, give, min, want }: Required<Omit<TakeRequest, 'key'>>,
  ): Promise<TakeAnswer> {
    const [size, other] = rule.kind === 'bucket' ? [rule.ratePerSecond, rule.capacity] : [rule.limit, rule.seconds];
    const last = known === undefined ? ['', 0, 0] : [known.epoch, known.value, known.at];
    const answer = await this.#redis.run({
      script: takeScript,
      keys: [key],
      values: [this.#now?.() ?? '', rule.kind, size, other, give, min, want, ...last],
      parse: takeAnswerFrom,
    });
    this.#compareClocks(answer.now);
    return answer;
  }

  #takeLocally(counter: Counter, { rule, give = 0, min, want }: TakeRequest): TakeResult {
    const now = this.#serverNow();
    if (counter.share === undefined || !isSameRule(counter.share.rule, rule))
      counter.share = startShare({ rule, known: counter.known, processes: this.#registry.count, now });
    const result = counter.share.take({ give, min, want }, now);
    return { ...result, ...(result.endsAt !== undefined && { endsAt: result.endsAt - this.#clockOffset }) };
  }

  #sendHold(key: string, { holder, min, want, limit, ttlMs }: HoldRequest): Promise<HoldResult> {
    const values = [this.#now?.() ?? '', holder, min, want, limit, ttlMs];
    return this.#redis.run({ script: holdScript, keys: [key], values, parse: holdAnswerFrom });
  }

  #holdLocally(key: string, request: HoldRequest): HoldResult {
    const before = this.#holdings.get(nameOfHolding(key, request))?.held ?? 0;
    const result = holdShare(request, before, this.#registry.count);
    this.#remember(key, request, result.held);
    return result;
  }

  #remember(key: string, request: HoldRequest, held: number): void {
    const name = nameOfHolding(key, request);
    if (held === 0) this.#holdings.delete(name);
    else this.#holdings.set(name, { request, held });
  }

  /** After a connection: reports permits and known counters immediately, and shares when all processes have done so. */
  #connected(): void {
    this.#registry.connected();
    void this.#reportHoldings();
    void this.#restoreCounters();
    this.#reportLater();
  }

  /**
   * Restores counters that the server has lost. A process that refuses an account until the end of a day does not ask again, so
   * that its next request would come too late: a new process would find an unused counter.
   */
  async #restoreCounters(): Promise<void> {
    await inBatches([...this.#counters.entries()], async ([key, counter]) => {
      const { known, rule } = counter;
      if (known === undefined || isUnused(rule, known, this.#serverNow())) return;
      const answer = await this.#runTake(key, known, { rule, give: 0, min: 0, want: 0 });
      // A concurrent request may have a later answer.
      if (counter.known === known) counter.known = answer.known;
    });
  }

  #reportLater(): void {
    clearTimeout(this.#reportTimer);
    this.#reportTimer = setTimeout(() => void this.#reportCounters(), this.#settleMs);
    this.#reportTimer.unref();
  }

  async #reportHoldings(): Promise<void> {
    await inBatches([...this.#holdings.values()], async ({ request, held }) => {
      await this.#sendHold(limitKey('permits', request.key), { ...request, min: held, want: held });
    });
  }

  async #reportCounters(): Promise<void> {
    await inBatches([...this.#counters.entries()], async ([key, counter]) => {
      const { share } = counter;
      if (share === undefined || !this.#isShared(key)) return;
      await this.#sendTake(key, counter, { key, rule: share.rule, min: 0, want: 0 });
    });
    // A timer can fire early by the clock of the connection, and a report can fail while the server stays up.
    const isLeft = [...this.#counters.entries()].some(
      ([key, { share }]) => share !== undefined && this.#redis.stateOf(key).isUp,
    );
    if (isLeft && !this.#isClosed) this.#reportLater();
  }

  #serverNow(): number {
    return this.#now?.() ?? Date.now() + this.#clockOffset;
  }

  /** Keeps the offset while it is right to a second, so that the end of a window stays the same number. */
  #compareClocks(serverNow: number): void {
    if (this.#now !== undefined) return;
    const offset = serverNow - Date.now();
    if (Math.abs(offset - this.#clockOffset) > clockToleranceMs) this.#clockOffset = Math.round(offset);
  }
}

/** Runs work on all items, a few at a time. Failures are those of a server that is away again: the next connection repeats it. */
async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += reportBatch)
    await Promise.allSettled(items.slice(at, at + reportBatch).map(work));
}

/** Reports whether a counter is as an absent one by now: a full bucket, or a window that has ended. */
function isUnused(rule: TakeRequest['rule'], { value, at }: KnownCounter, now: number): boolean {
  if (rule.kind === 'window') return now >= at + rule.seconds * 1000;
  return bucketTokens({ tokens: value, at }, rule.ratePerSecond, now) >= rule.capacity;
}

function nameOfHolding(key: string, { holder }: HoldRequest): string {
  return `${key} ${holder}`;
}

function isSameRule(one: TakeRequest['rule'], other: TakeRequest['rule']): boolean {
  if (one.kind === 'bucket')
    return other.kind === 'bucket' && one.ratePerSecond === other.ratePerSecond && one.capacity === other.capacity;
  return other.kind === 'window' && one.limit === other.limit && one.seconds === other.seconds;
}

/** Opens the counters in Redis. The connection belongs to its opener. */
export async function openRedisLimitStore(redis: Redis, options: RedisLimitStoreOptions = {}): Promise<LimitStore> {
  return new RedisLimitStore(redis, options);
}
