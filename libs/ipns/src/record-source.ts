import type { CID } from '@cairn/cid';
import { timeLimit } from '@cairn/platform';
import { verifyIpnsRecord } from './ipns-record.ts';
import { selectIpnsRecord } from './select-record.ts';
import { type AnswerChannel, SharedAnswers } from './shared-answers.ts';
import type { NameRecords } from './store/name-store.ts';

export interface RecordSourceOptions {
  readonly records: Pick<NameRecords, 'get'>;
  /** Returns the best record of a name from the network; undefined without one. Absent: records of the store only. */
  readonly findInNetwork?: ((name: CID, signal: AbortSignal) => Promise<Uint8Array | undefined>) | undefined;
  /** Processes of the same service: a record that one of them finds is used by all. */
  readonly channel?: AnswerChannel | undefined;
  readonly now?: () => number;
}

export interface FindOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ignores records of the network that were found before. */
  readonly isFresh?: boolean;
  /** Asks the store only. */
  readonly isOffline?: boolean;
}

/** Milliseconds that the absence of a record, or a failed search, is remembered. */
const absentMs = 10_000;
/** Milliseconds that one search takes at most. */
const searchMs = 30_000;
/** Names whose last search is remembered: at most 100 MiB. */
const rememberedMax = 10_000;
/** Concurrent searches. Further names are answered from the store, so that a flood of names costs little. */
const searchesMax = 64;

/**
 * Finds the newest record of a name: in the store, and in the network for names that are published elsewhere. Records of the
 * network are verified, and used for their time to live.
 */
export class RecordSource {
  readonly #options: RecordSourceOptions;
  readonly #now: () => number;
  readonly #found: SharedAnswers<Uint8Array>;
  readonly #searches = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(options: RecordSourceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#found = new SharedAnswers({
      topic: 'found records of names',
      namesMax: rememberedMax,
      channel: options.channel,
      now: this.#now,
      isNewer: (bytes, than) => selectIpnsRecord([than, bytes]) === 1,
    });
  }

  async find(
    name: CID,
    { signal, isFresh = false, isOffline = false }: FindOptions = {},
  ): Promise<Uint8Array | undefined> {
    const stored = await this.#options.records.get(name);
    const { findInNetwork } = this.#options;
    // A name that is published here has no newer record elsewhere.
    if (findInNetwork === undefined || isOffline || stored?.owner !== undefined) return stored?.bytes;
    const found = await within(signal, this.#search(name, findInNetwork, isFresh));
    const both = [stored?.bytes, found].filter((bytes) => bytes !== undefined);
    return both.length < 2 ? both[0] : both[selectIpnsRecord(both)];
  }

  async #search(
    name: CID,
    findInNetwork: NonNullable<RecordSourceOptions['findInNetwork']>,
    isFresh: boolean,
  ): Promise<Uint8Array | undefined> {
    const key = name.toString();
    const before = this.#found.get(key);
    if (!isFresh && before !== undefined) return before.value;
    const running = this.#searches.get(key);
    if (running !== undefined) return await running;
    if (this.#searches.size >= searchesMax) return undefined;
    const search = this.#find(name, findInNetwork).finally(() => this.#searches.delete(key));
    this.#searches.set(key, search);
    return await search;
  }

  async #find(
    name: CID,
    findInNetwork: NonNullable<RecordSourceOptions['findInNetwork']>,
  ): Promise<Uint8Array | undefined> {
    let bytes: Uint8Array | undefined;
    let ttlMs = absentMs;
    try {
      bytes = await findInNetwork(name, timeLimit(searchMs));
      if (bytes !== undefined) ttlMs = verifyIpnsRecord(name, bytes, this.#now()).ttlSeconds * 1000;
    } catch {
      // A network without an answer and one with an invalid record are the same to a reader: nothing was found.
      bytes = undefined;
    }
    this.#found.set(name.toString(), { value: bytes, untilMs: this.#now() + ttlMs });
    return bytes;
  }
}

/** Waits for a shared search until the signal of one reader ends. */
async function within<T>(signal: AbortSignal | undefined, search: Promise<T>): Promise<T> {
  if (signal === undefined) return await search;
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    search.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
