import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessChannel } from '@cairn/blockstore';
import { errorText, isCairnError } from '@cairn/errors';
import { type Denylist, denylistOf } from './denylist.ts';
import { InvalidDenylistError } from './errors.ts';
import { limits } from './limits.ts';
import { type LineProblem, readDenylist } from './read-denylist.ts';
import type { RuleList } from './rule-list.ts';

/** Report about a file that was read, is absent, or cannot be used. */
export type DenylistEvent =
  | {
      readonly type: 'loaded';
      readonly file: string;
      readonly rules: number;
      readonly problems: readonly LineProblem[];
      readonly problemCount: number;
    }
  | { readonly type: 'removed'; readonly file: string }
  /** The last usable version of the file, if there is one, stays in effect. */
  | { readonly type: 'failed'; readonly file: string; readonly error: unknown };

export interface OpenDenylistsOptions {
  /** Files, and directories of which all files `*.deny` are read. A directory may be absent; a file may not. */
  readonly paths: readonly string[];
  /** Interval in milliseconds at which changes are looked for. Default: 1000. */
  readonly pollMs?: number;
  /** Called when the event is in effect. */
  readonly onEvent?: (event: DenylistEvent) => void;
  /** Processes of the same service. The first one that finds a change makes the others read it immediately. */
  readonly channel?: Pick<ProcessChannel, 'inform' | 'subscribe'> | undefined;
}

const changedTopic = 'changed denylists';

/** Denylists of files. Changes of the files take effect without a restart. */
export interface Denylists extends Denylist {
  /** Files in effect with their number of rules, in their order. */
  files(): readonly { readonly file: string; readonly rules: number }[];
  /** Looks for changes now. Resolves when they are in effect. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads denylists and follows their files.
 * @throws DENYLIST_INVALID if a file cannot be used: content would be served that a rule of it denies
 */
export async function openDenylists(options: OpenDenylistsOptions): Promise<Denylists> {
  const follower = new DenylistFollower(options);
  const starting = follower.start();
  // Subscribed before the files are read: a change meanwhile is read afterwards.
  options.channel?.subscribe(changedTopic, () =>
    starting.then(
      () => follower.refresh(),
      () => {},
    ),
  );
  await starting;
  const denylist = denylistOf(() => follower.lists);
  return {
    ...denylist,
    files: () => follower.lists.map(({ file, rules }) => ({ file, rules: rules.size })),
    refresh: () => follower.refresh(),
    close: () => follower.close(),
  };
}

interface Entry {
  readonly file: string;
  readonly rules: RuleList;
  /** Identity of the version that was read. */
  readonly version: string;
}

class DenylistFollower {
  lists: readonly Entry[] = [];
  readonly #paths: readonly string[];
  readonly #pollMs: number;
  readonly #onEvent: (event: DenylistEvent) => void;
  /** Events of versions that are not in effect yet. */
  readonly #events: DenylistEvent[] = [];
  readonly #channel: OpenDenylistsOptions['channel'];
  /** Reports whether the other processes know of the changes of this update. */
  #hasInformed = false;
  readonly #closing = new AbortController();
  /** Versions seen by the last poll that differ from those in effect. A file is read when it has not changed since. */
  #seen = new Map<string, string>();
  /** Versions that could not be used, so that each is reported once. */
  readonly #failed = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor({ paths, pollMs = 1000, onEvent = () => {}, channel }: OpenDenylistsOptions) {
    this.#paths = paths;
    this.#pollMs = pollMs;
    this.#onEvent = onEvent;
    this.#channel = channel;
  }

  async start(): Promise<void> {
    const entries: Entry[] = [];
    for (const file of await this.#find()) entries.push(await this.#read(file, await versionOf(file)));
    this.#apply(entries);
    this.#schedule();
  }

  refresh(): Promise<void> {
    return this.#run({ waits: false });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort(new Error('the denylists are closed'));
    await this.#running?.catch(() => {});
  }

  #schedule(): void {
    const next = () => {
      if (!this.#closing.signal.aborted) this.#schedule();
    };
    this.#timer = setTimeout(() => void this.#run({ waits: true }).finally(next), this.#pollMs).unref();
  }

  async #run(options: { readonly waits: boolean }): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#closing.signal.aborted) return;
    this.#running = this.#update(options).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Reads changed files. One that fails keeps its last version, and so does one that is absent for the first time. */
  async #update({ waits }: { readonly waits: boolean }): Promise<void> {
    const before = new Map(this.lists.map((entry) => [entry.file, entry]));
    const seen = new Map<string, string>();
    this.#hasInformed = false;
    let files: readonly string[];
    try {
      files = await this.#find();
    } catch (error) {
      return this.#fail(this.#paths.join(','), error, '');
    }
    const next: Entry[] = [];
    for (const file of new Set([...files, ...before.keys()])) {
      const entry = await this.#updated(file, before.get(file), { waits, seen, isListed: files.includes(file) });
      if (entry !== undefined) next.push(entry);
    }
    this.#seen = seen;
    const order = [...files, ...before.keys()];
    this.#apply(next.sort((one, other) => order.indexOf(one.file) - order.indexOf(other.file)));
  }

  /** Puts lists into effect, and reports them afterwards: listeners drop what they have derived from the former ones. */
  #apply(lists: readonly Entry[]): void {
    this.lists = lists;
    for (const event of this.#events.splice(0)) this.#onEvent(event);
  }

  async #updated(
    file: string,
    known: Entry | undefined,
    {
      waits,
      seen,
      isListed,
    }: { readonly waits: boolean; readonly seen: Map<string, string>; readonly isListed: boolean },
  ): Promise<Entry | undefined> {
    const version = isListed ? await versionOf(file).catch(() => 'absent') : 'absent';
    if (version === known?.version) return known;
    seen.set(file, version);
    if (waits && this.#seen.get(file) !== version) return known;
    if (waits && this.#failed.get(file) !== version) this.#inform();
    if (version === 'absent') {
      // A file that the settings name does not leave by being absent.
      if (this.#paths.includes(file)) return this.#fail(file, new Error('it is absent'), version, known);
      if (known !== undefined) this.#events.push({ type: 'removed', file });
      return undefined;
    }
    try {
      return await this.#read(file, version);
    } catch (error) {
      if (this.#closing.signal.aborted) return known;
      return this.#fail(file, error, version, known);
    }
  }

  /** Makes the other processes read the changed files. They find the change themselves if the message is lost. */
  #inform(): void {
    if (this.#hasInformed) return;
    this.#hasInformed = true;
    this.#channel?.inform(changedTopic, undefined).catch(() => {});
  }

  #fail<Known>(file: string, error: unknown, version: string, known?: Known): Known | undefined {
    if (this.#failed.get(file) !== version) this.#onEvent({ type: 'failed', file, error });
    this.#failed.set(file, version);
    return known;
  }

  async #read(file: string, version: string): Promise<Entry> {
    const { signal } = this.#closing;
    const bytesExpected = Number(version.split(' ')[0]);
    try {
      const { rules, problems, problemCount } = await readDenylist(createReadStream(file), {
        file,
        bytesExpected,
        signal,
      });
      this.#failed.delete(file);
      this.#events.push({ type: 'loaded', file, rules: rules.size, problems, problemCount });
      return { file, rules, version };
    } catch (error) {
      if (isCairnError(error) || signal.aborted) throw error;
      throw unreadable(file, error);
    }
  }

  /** Lists the files: those of a directory by name, so that `50-local.deny` overrides `10-badbits.deny`. */
  async #find(): Promise<readonly string[]> {
    const files: string[] = [];
    for (const path of this.#paths) {
      const names = await namesOf(path);
      if (names === undefined) files.push(path);
      else files.push(...names.map((name) => join(path, name)));
    }
    if (files.length > limits.filesMax)
      throw new InvalidDenylistError(this.#paths.join(','), undefined, `there are more than ${limits.filesMax} files`);
    return [...new Set(files)];
  }
}

/** Names of the denylists of a directory; undefined for a path to a file. A path that ends with `.deny` is a file. */
async function namesOf(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(path)).filter((name) => name.endsWith('.deny')).sort();
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ENOTDIR' || (code === 'ENOENT' && path.endsWith('.deny'))) return undefined;
    if (code === 'ENOENT') return [];
    throw unreadable(path, error);
  }
}

/** Describes the version of a file: its size, its times and its inode, which an atomic replacement changes. */
async function versionOf(file: string): Promise<string> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(file);
    return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): InvalidDenylistError {
  return new InvalidDenylistError(file, undefined, `it cannot be read: ${errorText(error).replace(/\.$/, '')}`, error);
}
