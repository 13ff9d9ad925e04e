import { once } from 'node:events';
import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { catNode, listDirectory, readNode, type UnixfsNode } from '@cairn/unixfs';
import { type Pack, pack } from 'tar-stream';
import { limits } from './limits.ts';

const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const;

/** Text at the end of an archive with a name that leads out of its root. The wording is that of Kubo, which clients look for. */
const outsideRoot = 'relative UnixFS paths outside the root are now allowed, use CAR instead';

/** Name of an entry that leads out of the root. */
class OutsideRootError extends Error {}

/** Largest time of a header: eleven octal digits. */
const headerSecondsMax = 0o77777777777;

interface Writer {
  readonly archive: Pack;
  readonly blocks: Pick<Blockstore, 'get'>;
  readonly options: ReadOptions;
  readonly signal: AbortSignal;
  readonly root: string;
  /** Paths of symlinks: an entry below one would be unpacked elsewhere. */
  readonly symlinks: Set<string>;
  /** Entries of the directories that are open. */
  openEntries: number;
}

/**
 * Yields a TAR of a file or tree as it is read: memory holds one chunk and one node for each level. The first name is the
 * CID of the root. A name that leads out of the root ends the archive with a text in place of its end.
 */
export async function* tarOf(
  blocks: Pick<Blockstore, 'get'>,
  root: UnixfsNode,
  options: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const ended = new AbortController();
  const signal = options.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, options.signal]);
  const name = root.cid.toString();
  const writer = {
    archive,
    blocks,
    options: { ...options, signal },
    signal,
    root: name,
    symlinks: new Set<string>(),
    openEntries: 0,
  };
  const isWritten = add(writer, name, root, 0).then(
    () => archive.finalize(),
    (error: unknown) => endEarly(archive, error),
  );
  try {
    for await (const bytes of archive) if (bytes instanceof Uint8Array) yield bytes;
  } finally {
    ended.abort(new Error('the reader has ended'));
    archive.destroy();
    await isWritten;
  }
}

/** Ends an archive that cannot be completed. Readers detect a name out of the root by the text, and other errors as such. */
function endEarly(archive: Pack, error: unknown): void {
  if (!(error instanceof OutsideRootError)) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  archive.push(Buffer.from(outsideRoot));
  archive.push(null);
}

async function add(writer: Writer, path: string, node: UnixfsNode, depth: number): Promise<void> {
  const { archive, blocks, options, signal, symlinks } = writer;
  signal.throwIfAborted();
  if (depth > limits.tarDepthMax) throw new RangeError(`the tree is deeper than ${limits.tarDepthMax} directories`);
  const seconds = Math.min(Math.max(node.mtime?.seconds ?? 0, 0), headerSecondsMax);
  const kind = node.type === 'symlink' ? 'symlink' : node.type === 'file' || node.type === 'raw' ? 'file' : 'directory';
  const header = {
    name: path,
    type: kind,
    mode: node.mode || defaultModes[kind],
    mtime: new Date(seconds * 1000),
  } as const;
  if (kind === 'symlink') {
    symlinks.add(path);
    await entry(writer, { ...header, linkname: new TextDecoder().decode(node.data) });
  } else if (kind === 'file') {
    const file = archive.entry({ ...header, size: node.fileSize });
    // An archive that is destroyed ends its open entry with the same error, which would end the process without a listener.
    file.on('error', () => {});
    for await (const bytes of catNode(blocks, node, { ...options, readAhead: 1 }))
      if (!file.write(bytes)) await once(file, 'drain', { signal });
    const finished = once(file, 'finish', { signal });
    file.end(new Uint8Array(0));
    await finished;
  } else {
    await entry(writer, header);
    writer.openEntries += node.links.length;
    if (writer.openEntries > limits.tarOpenEntriesMax)
      throw new RangeError(`the open directories have more than ${limits.tarOpenEntriesMax} entries`);
    for await (const { name, cid } of listDirectory(blocks, node, options))
      await add(writer, below(writer, path, name), await readNode(blocks, cid, options), depth + 1);
    writer.openEntries -= node.links.length;
  }
}

/** Joins names as a file system does: `..` leads up. @throws OutsideRootError */
function below({ root, symlinks }: Writer, parent: string, name: string): string {
  const parts: string[] = [];
  for (const part of `${parent}/${name}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const isBelowSymlink = parts.some((_, index) => symlinks.has(parts.slice(0, index + 1).join('/')));
  if (parts[0] !== root || parts.length < 2 || name.includes('\0') || isBelowSymlink)
    throw new OutsideRootError(`the entry ${JSON.stringify(name.slice(0, 100))} leads out of the root`);
  return parts.join('/');
}

function entry({ archive }: Writer, header: Parameters<Pack['entry']>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, '', (error) => (error ? reject(error) : resolve()));
  });
}
