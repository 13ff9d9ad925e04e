import type { ObjectStore } from '@cairn/object-store';
import { packLimits } from '../limits.ts';
import { SharedFetch } from './shared-fetch.ts';

/** Part of a pack. */
export interface PackRange {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

interface Window {
  readonly pack: string;
  readonly offset: number;
  /** Bytes asked for, then bytes that the pack has there. */
  length: number;
  readonly fetch: SharedFetch<Uint8Array>;
  /** Whether it was read ahead, so that it is kept for the next reads. */
  readonly isKept: boolean;
  /** Whether the window after it was asked for. */
  isFollowed: boolean;
}

/** Course of the readers of one pack. */
interface Course {
  /** End of the last window. */
  readonly end: number;
  /** Next read-ahead in bytes. */
  readonly ahead: number;
}

/** Packs whose course is remembered. */
const coursesMax = 256;

/**
 * Ranges of packs: those on their way, which other readers join, and those that were read ahead, within a limit of memory. A reader
 * that continues where a range ended gets a longer one. When it reaches the second half, the next range is fetched.
 */
export class PackWindows {
  readonly #objects: ObjectStore;
  /** In the order of their last use. */
  readonly #windows = new Set<Window>();
  readonly #byPack = new Map<string, Set<Window>>();
  readonly #courses = new Map<string, Course>();
  #bytes = 0;
  #reads = 0;
  readonly #turns: (() => void)[] = [];

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Returns bytes of a pack, which may be a part of a longer buffer. @throws OBJECT_RANGE_INVALID, OBJECT_NOT_FOUND */
  async read({ pack, offset, length }: PackRange, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    const end = offset + length;
    for (let position = offset; position < end; ) {
      const window = this.#find(pack, position) ?? this.#open({ pack, offset: position, length: end - position });
      const bytes = await this.#bytesOf(window, signal);
      const part = bytes.subarray(position - window.offset, end - window.offset);
      parts.push(part);
      position += part.length;
      if (window.isKept && position > window.offset + window.length / 2) this.#follow(window);
    }
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  }

  /** Forgets kept bytes of a range, so that the next read fetches them again. */
  forget({ pack, offset, length }: PackRange): void {
    for (const window of this.#byPack.get(pack) ?? [])
      if (window.offset < offset + length && offset < window.offset + window.length) this.#drop(window);
  }

  async #bytesOf(window: Window, signal: AbortSignal | undefined): Promise<Uint8Array> {
    this.#use(window);
    try {
      return await window.fetch.join(signal);
    } catch (error) {
      if (window.fetch.isAborted || window.fetch.isSettled) this.#drop(window);
      throw error;
    } finally {
      if (!window.isKept) this.#drop(window);
    }
  }

  #find(pack: string, position: number): Window | undefined {
    for (const window of this.#byPack.get(pack) ?? [])
      if (window.offset <= position && position < window.offset + window.length && !window.fetch.isAborted)
        return window;
    return undefined;
  }

  #open({ pack, offset, length }: PackRange): Window {
    const ahead = this.#ahead(pack, offset, length);
    const range = { offset, length: length + ahead, mayBeShort: ahead > 0 };
    const fetch = new SharedFetch((signal) => this.#fetch(pack, range, signal));
    const window: Window = { pack, offset, length: range.length, fetch, isKept: ahead > 0, isFollowed: false };
    this.#use(window);
    const settle = ({ length: found }: { readonly length: number }) => {
      if (this.#windows.has(window)) this.#bytes -= window.length - found;
      window.length = found;
    };
    fetch.settled.then(settle, () => this.#drop(window));
    return window;
  }

  /** Fetches the window after one, unless the pack ends there. */
  #follow(window: Window): void {
    const offset = window.offset + window.length;
    const isEnd = !window.fetch.isSettled || this.#courses.get(window.pack)?.end !== offset;
    if (window.isFollowed || isEnd) return;
    window.isFollowed = true;
    if (this.#find(window.pack, offset) === undefined) this.#open({ pack: window.pack, offset, length: 0 });
  }

  /** Bytes to read beyond a range: none unless it continues the last one. */
  #ahead(pack: string, offset: number, length: number): number {
    const { gapBytesMax, readAheadBytes, readAheadBytesMax } = packLimits;
    const last = this.#courses.get(pack);
    const gap = last === undefined ? -1 : offset - last.end;
    const isSequential = last !== undefined && gap >= 0 && gap < gapBytesMax;
    const ahead = isSequential ? last.ahead : 0;
    this.#courses.delete(pack);
    this.#courses.set(pack, {
      end: offset + length + ahead,
      ahead: isSequential ? Math.min(readAheadBytesMax, last.ahead * 2) : readAheadBytes,
    });
    const [oldest] = this.#courses.keys();
    if (this.#courses.size > coursesMax && oldest !== undefined) this.#courses.delete(oldest);
    return ahead;
  }

  async #fetch(
    key: string,
    range: { readonly offset: number; readonly length: number; readonly mayBeShort: boolean },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    while (this.#reads >= packLimits.readsMax) await new Promise<void>((done) => this.#turns.push(done));
    this.#reads++;
    try {
      return await this.#objects.get(key, { range, signal });
    } finally {
      this.#reads--;
      this.#turns.shift()?.();
    }
  }

  /** Moves a window to the end of the order, and drops the oldest ones beyond the limit. */
  #use(window: Window): void {
    if (!this.#windows.delete(window)) {
      this.#bytes += window.length;
      const ofPack = this.#byPack.get(window.pack) ?? new Set();
      this.#byPack.set(window.pack, ofPack.add(window));
    }
    this.#windows.add(window);
    for (const oldest of this.#windows) {
      if (this.#bytes <= packLimits.windowBytesMax || oldest === window) break;
      this.#drop(oldest);
    }
  }

  #drop(window: Window): void {
    if (!this.#windows.delete(window)) return;
    this.#bytes -= window.length;
    const ofPack = this.#byPack.get(window.pack);
    ofPack?.delete(window);
    if (ofPack?.size === 0) this.#byPack.delete(window.pack);
  }
}
