import { ApiError } from '../api.ts';
import type { SendOptions, StoredUpload } from './send-options.ts';
import { sendUpload } from './send-upload.ts';
import type { UploadSource } from './upload-source.ts';

/** Immutable state of one upload, as shown on the pages. */
export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly kind: UploadSource['kind'];
  readonly files: number;
  readonly bytes: number;
  readonly state: 'waiting' | 'sending' | 'storing' | 'stored' | 'failed' | 'cancelled';
  readonly sent: number;
  /** Current rate, in bytes per second. */
  readonly rate: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly cid?: string;
}

export interface UploadQueueOptions {
  readonly send: (source: UploadSource, options: SendOptions) => Promise<StoredUpload>;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Concurrent uploads. Each takes one of the few connections that a browser opens to a server. */
const underWayMax = 2;
/** Most uploads in the queue. */
const itemsMax = 1000;
/** Window of the rate, in milliseconds. */
const rateMs = 3000;

/** Upload queue of this tab. It is independent of the pages, so that uploads continue during navigation. */
export class UploadQueue {
  readonly #options: UploadQueueOptions;
  readonly #listeners = new Set<() => void>();
  readonly #sources = new Map<number, UploadSource>();
  readonly #aborts = new Map<number, AbortController>();
  #items: readonly UploadItem[] = [];
  #accountId: string | undefined;
  #lastId = 0;
  /** Called when an upload is stored. */
  onStored: (item: UploadItem) => void = () => {};

  constructor(options: UploadQueueOptions = { send: sendUpload, now: () => performance.now() }) {
    this.#options = options;
  }

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly items = (): readonly UploadItem[] => this.#items;

  /** @throws Error when the queue is full */
  add(sources: readonly UploadSource[]): void {
    if (this.#items.length + sources.length > itemsMax)
      throw new Error(`The queue holds ${itemsMax} uploads. Clear the finished ones, or drop a whole folder.`);
    const added = sources.map((source): UploadItem => {
      const id = ++this.#lastId;
      const { name, kind, bytes, files } = source;
      this.#sources.set(id, source);
      return { id, name, kind, bytes, files: files.length, state: 'waiting', sent: 0, rate: 0 };
    });
    this.#set([...this.#items, ...added]);
    this.#next();
  }

  cancel(id: number): void {
    this.#change(id, { state: 'cancelled', rate: 0 });
    this.#aborts.get(id)?.abort(new Error('cancelled'));
    this.#next();
  }

  /** Retries a failed or cancelled upload. */
  retry(id: number): void {
    this.#change(id, { state: 'waiting', sent: 0, rate: 0 });
    this.#next();
  }

  /** Removes finished uploads from the queue. */
  clear(): void {
    const kept = this.#items.filter(isUnderWay);
    for (const { id } of this.#items) if (!kept.some((item) => item.id === id)) this.#sources.delete(id);
    this.#set(kept);
  }

  /** Binds the queue to an account. Uploads of another account are cancelled and removed. */
  belongTo(accountId: string): void {
    if (this.#accountId !== undefined && this.#accountId !== accountId) {
      for (const abort of this.#aborts.values()) abort.abort(new Error('cancelled'));
      this.#sources.clear();
      this.#set([]);
    }
    this.#accountId = accountId;
  }

  #next(): void {
    for (const item of this.#items) {
      if (this.#aborts.size >= underWayMax) return;
      if (item.state === 'waiting' && !this.#aborts.has(item.id)) void this.#run(item);
    }
  }

  async #run(item: UploadItem): Promise<void> {
    const { id, error: before } = item;
    const source = this.#sources.get(id);
    if (source === undefined) return;
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(id, { state: 'sending', error: undefined });
    const rate = new Rate(this.#options.now);
    const onProgress = (sent: number) => {
      if (abort.signal.aborted) return;
      const isSent = sent >= source.bytes;
      // The multipart body is longer than its files.
      this.#change(id, {
        state: isSent ? 'storing' : 'sending',
        sent: Math.min(sent, source.bytes),
        rate: rate.of(sent),
      });
    };
    try {
      const ignoresQuota = before?.code === 'QUOTA_EXCEEDED';
      const { cid } = await this.#options.send(source, { signal: abort.signal, ignoresQuota, onProgress });
      this.#change(id, { state: 'stored', cid, sent: source.bytes, rate: 0 });
      const stored = this.#items.find((one) => one.id === id);
      if (stored) this.onStored(stored);
    } catch (error) {
      if (!abort.signal.aborted) this.#change(id, { state: 'failed', rate: 0, error: errorOf(error) });
    } finally {
      this.#aborts.delete(id);
      this.#next();
    }
  }

  #change(id: number, change: { readonly [Field in keyof UploadItem]?: UploadItem[Field] | undefined }): void {
    this.#set(this.#items.map((item) => (item.id === id ? ({ ...item, ...change } as UploadItem) : item)));
  }

  #set(items: readonly UploadItem[]): void {
    this.#items = items;
    for (const listener of this.#listeners) listener();
  }
}

/** Reports whether an upload is waiting or running. */
export function isUnderWay({ state }: Pick<UploadItem, 'state'>): boolean {
  return state === 'waiting' || state === 'sending' || state === 'storing';
}

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: 'UNKNOWN', message: error instanceof Error ? error.message : 'The upload failed. Retry.' };
}

/** Rate over the last samples, in bytes per second. */
class Rate {
  readonly #now: () => number;
  #marks: { readonly at: number; readonly sent: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
    this.#marks.push({ at: now(), sent: 0 });
  }

  of(sent: number): number {
    const at = this.#now();
    this.#marks.push({ at, sent });
    while (this.#marks.length > 2 && at - (this.#marks[0]?.at ?? at) > rateMs) this.#marks.shift();
    const [first] = this.#marks;
    return first === undefined || at <= first.at ? 0 : Math.round(((sent - first.sent) * 1000) / (at - first.at));
  }
}
