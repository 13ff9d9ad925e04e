import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Blockstore } from '@cairn/blockstore';
import { catNode, listDirectory, readNode, type UnixfsNode } from '@cairn/unixfs';
import { type Header, type Pack, pack } from 'tar-stream';
import { ApiError } from '../api-error.ts';

const depthMax = 256;
const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const;

/**
 * A tar archive of a file or a tree, made as it is read: memory holds one chunk and one node for each level.
 * @throws ApiError 400 for names that would lead out of the directory it is unpacked in
 */
export function tarOf(store: Pick<Blockstore, 'get'>, name: string, root: UnixfsNode, signal: AbortSignal): Readable {
  const archive = pack();
  const out = Readable.from(archive);
  add(archive, { store, signal, now: new Date() }, name, root, 0).then(
    () => archive.finalize(),
    (error: unknown) => {
      // What was packed so far is of no use without its end.
      archive.destroy();
      out.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return out;
}

type EntryHeader = Partial<Header> & Pick<Header, 'name'>;

interface Context {
  readonly store: Pick<Blockstore, 'get'>;
  readonly signal: AbortSignal;
  readonly now: Date;
}

async function add(archive: Pack, context: Context, path: string, node: UnixfsNode, depth: number): Promise<void> {
  const { store, signal, now } = context;
  signal.throwIfAborted();
  if (depth > depthMax) throw new ApiError(400, `the tree is deeper than ${depthMax} directories`);
  const { type, mode, mtime } = node;
  const metadata = (kind: keyof typeof defaultModes): EntryHeader => ({
    name: path,
    type: kind,
    mode: mode ?? defaultModes[kind],
    mtime: mtime ? new Date(mtime.seconds * 1000) : now,
  });
  if (type === 'symlink') {
    await entry(archive, { ...metadata('symlink'), linkname: Buffer.from(node.data).toString() });
  } else if (type === 'directory' || type === 'hamt-sharded-directory') {
    await entry(archive, metadata('directory'));
    for await (const { name, cid } of listDirectory(store, node, { signal })) {
      if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
        throw new ApiError(400, `the entry ${JSON.stringify(name.slice(0, 100))} cannot be unpacked as a file`);
      await add(archive, context, `${path}/${name}`, await readNode(store, cid, { signal }), depth + 1);
    }
  } else {
    const file = archive.entry({ ...metadata('file'), size: node.fileSize });
    for await (const bytes of catNode(store, node, { signal }))
      if (!file.write(bytes)) await once(file, 'drain', { signal });
    const finished = once(file, 'finish', { signal });
    file.end(new Uint8Array(0));
    await finished;
  }
}

function entry(archive: Pack, headers: EntryHeader): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(headers, '', (error) => (error ? reject(error) : resolve()));
  });
}
