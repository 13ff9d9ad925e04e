import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Blockstore, BufferPool } from '@cairn/blockstore';
import { catNode, listDirectory, readNode, type UnixfsNode, type UnixfsTime } from '@cairn/unixfs';
import { type Header, type Pack, pack } from 'tar-stream';
import { prefetchOf } from '../../network/network.ts';
import { ApiError } from '../api-error.ts';

const depthMax = 256;
const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const;

/**
 * Creates a tar archive of a file or a tree as it is read: memory holds one chunk and one node for each level.
 * @throws ApiError 400 for names that lead out of the directory in which the archive is unpacked, and for two
 * entries of one name, since a symlink and then a directory lead out of it as well
 */
export function tarOf(
  store: Pick<Blockstore, 'get'>,
  name: string,
  root: UnixfsNode,
  { signal, isPax = false, buffers }: TarOptions,
): Readable {
  const archive = pack();
  const out = Readable.from(archive);
  add(archive, { store, signal, isPax, buffers, now: currentTime() }, name, root, 0).then(
    () => archive.finalize(),
    (error: unknown) => {
      // A partial archive without its end is useless.
      archive.destroy();
      out.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return out;
}

type EntryHeader = Partial<Header> & Pick<Header, 'name'>;

/** Eleven octal digits. */
const headerSecondsMax = 0o77777777777;

export interface TarOptions {
  readonly signal: AbortSignal;
  /**
   * Writes nanoseconds, in records of the PAX format, as Kubo does unless the client requests an archive. Default
   * false.
   */
  readonly isPax?: boolean;
  /** Buffers for long blocks: the consumer may give each chunk back when it has used it. */
  readonly buffers?: BufferPool | undefined;
}

interface Context extends Required<Omit<TarOptions, 'buffers'>>, Pick<TarOptions, 'buffers'> {
  readonly store: Pick<Blockstore, 'get'>;
  /** Time of entries without one. */
  readonly now: UnixfsTime;
}

async function add(archive: Pack, context: Context, path: string, node: UnixfsNode, depth: number): Promise<void> {
  const { store, signal, buffers, now } = context;
  signal.throwIfAborted();
  if (depth > depthMax) throw new ApiError(400, `the tree is deeper than ${depthMax} directories`);
  const { type, mode, mtime } = node;
  const metadata = (kind: keyof typeof defaultModes): EntryHeader => ({
    name: path,
    type: kind,
    mode: mode || defaultModes[kind],
    ...timeHeaders(mtime ?? now, context.isPax),
  });
  if (type === 'symlink') {
    await entry(archive, { ...metadata('symlink'), linkname: Buffer.from(node.data).toString() });
  } else if (type === 'directory' || type === 'hamt-sharded-directory') {
    await entry(archive, metadata('directory'));
    requireDistinctNames(node);
    for await (const { name, cid } of listDirectory(store, node, { signal })) {
      if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
        throw new ApiError(400, `the entry ${JSON.stringify(name.slice(0, 100))} cannot be unpacked as a file`);
      await add(archive, context, `${path}/${name}`, await readNode(store, cid, { signal }), depth + 1);
    }
  } else {
    const file = archive.entry({ ...metadata('file'), size: node.fileSize });
    for await (const bytes of catNode(store, node, { signal, buffers, onAhead: prefetchOf(signal) }))
      if (!file.write(bytes)) await once(file, 'drain', { signal });
    const finished = once(file, 'finish', { signal });
    file.end(new Uint8Array(0));
    await finished;
  }
}

/** Sharded directories need no check: the hash of a name gives an entry its only place. */
function requireDistinctNames({ type, links }: UnixfsNode): void {
  if (type !== 'directory') return;
  const names = new Set<string>();
  for (const { name } of links) {
    if (names.has(name))
      throw new ApiError(400, `two entries have the name ${JSON.stringify(name.slice(0, 100))}; read each by its CID`);
    names.add(name);
  }
}

/** Time in a tar archive: seconds from 1970 to 2242 in the header, any other time in a PAX record. */
function timeHeaders({ seconds, nanoseconds = 0 }: UnixfsTime, isPax: boolean): Pick<EntryHeader, 'mtime' | 'pax'> {
  const isInHeader = seconds >= 0 && seconds <= headerSecondsMax;
  const mtime = new Date((isInHeader ? seconds : 0) * 1000);
  const fraction = isPax && nanoseconds > 0 ? nanoseconds : 0;
  return isInHeader && fraction === 0 ? { mtime } : { mtime, pax: { mtime: paxTime(seconds, fraction) } };
}

/** Seconds with their fraction in PAX form. Before 1970 both are negative. */
function paxTime(seconds: number, nanoseconds: number): string {
  const isNegative = seconds < 0 && nanoseconds > 0;
  const whole = isNegative ? seconds + 1 : seconds;
  const rest = isNegative ? 1_000_000_000 - nanoseconds : nanoseconds;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`;
  return `${isNegative && whole === 0 ? '-' : ''}${whole}${fraction}`;
}

function currentTime(): UnixfsTime {
  const now = Date.now();
  return { seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 };
}

function entry(archive: Pack, headers: EntryHeader): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(headers, '', (error) => (error ? reject(error) : resolve()));
  });
}
