import type { Block } from '@cairn/blockstore';
import { parseTreePath } from '@cairn/mfs';
import type { WriteSession } from '@cairn/pinning';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { type ImportedEntry, importTree, type TreeEntry, type TreeOptions } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { explained } from '../files/explained.ts';
import { Files } from '../files/files.ts';
import { printMetadata } from '../metadata-options.ts';
import { readParts, type UploadPart } from '../multipart.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { Uploads } from '../uploads.ts';
import { endLines, writeLine } from '../write.ts';
import { addOptions, entryMetadata, sendsEveryMetadata, treeOptions } from './add-options.ts';

type AddContext = CommandContext<typeof addOptions>;

const progressStepBytes = 256 * 1024;
/** Roots are pinned together, so that many small files cost few commits. */
const rootsPerPin = 64;
const symlinkBytesMax = 4096;
const onlyHashStore = { putMany: async (_blocks: readonly Block[]) => {} };

/**
 * `add`: files, directories and symlinks as UnixFS DAGs with the CIDs that Kubo gives. A root is told when its blocks
 * and its pin are on the disk; an add that ends early pins none of what it has not told.
 */
@Injectable()
export class AddCommand implements Command<typeof addOptions> {
  readonly name = 'add';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 0, max: 0 };
  readonly options = addOptions;

  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(Files) private readonly files: Files,
  ) {}

  async run(context: AddContext): Promise<void> {
    await this.uploads.run(async () => {
      if (context.options['only-hash']) await this.#add(context);
      else await this.sessions.run(context.principal, context.signal, (session) => this.#add(context, session));
    });
  }

  async #add(context: AddContext, session?: WriteSession): Promise<void> {
    const { request, response, signal, options: chosen } = context;
    let parts = 0;
    const counted = async function* (source: AsyncIterable<UploadPart>) {
      for await (const part of source) {
        parts++;
        yield part;
      }
    };
    const entries = this.#entries(counted(readParts(request, signal)), context);
    const options = { ...treeOptions(chosen, this.settings), signal, onProgress: progressOf(context) };
    const waiting: ImportedEntry[] = [];
    const keep = async () => {
      if (session) await this.#keep(context, session, waiting);
      for (const root of waiting.splice(0)) await tell(context, root);
    };
    for await (const entry of importTree(entries, session?.store ?? onlyHashStore, options)) {
      if (!entry.isRoot) await tell(context, entry);
      else if (waiting.push(entry) >= rootsPerPin) await keep();
    }
    if (parts === 0) throw new ApiError(400, 'argument "path" is required: a multipart part named "file"');
    await keep();
    endLines(response);
  }

  /** Makes roots durable, then their pins: in this order a crash between them leaves blocks without a pin, never the reverse. */
  async #keep(
    { options: chosen, principal, signal }: AddContext,
    session: WriteSession,
    roots: readonly ImportedEntry[],
  ): Promise<void> {
    await session.store.sync();
    if (chosen.pin) for (const { cid } of roots) await session.pin(cid, { name: chosen['pin-name'] });
    const to = chosen['to-files'];
    if (to === undefined || roots.length === 0) return;
    await this.files.changeIn(session, principal, signal, async (tree) => {
      for (const { cid, path } of roots) {
        const { names, isInto } = parseTreePath(to === '' ? '/' : to);
        const target = isInto || names.length === 0 ? [...names, path.split('/').at(-1) || cid.toString()] : names;
        await explained('to-files', () => tree.put(parseTreePath(`/${target.join('/')}`), cid));
      }
    });
  }

  async *#entries(
    parts: AsyncIterable<UploadPart>,
    { options: chosen, request }: AddContext,
  ): AsyncGenerator<TreeEntry> {
    const limited = this.uploads.limiter();
    const isOwnMeant = !sendsEveryMetadata(request.headers['user-agent']);
    for await (const { filename, contentType, metadata, bytes } of parts) {
      const path = filename.replace(/^\/+|\/+$/g, '');
      const entry = { path, ...entryMetadata(chosen, metadata, isOwnMeant) };
      if (contentType === 'application/x-directory') {
        // A directory without a name is the one that wraps: its entries come with names of their own.
        if (path !== '') yield entry;
      } else if (contentType === 'application/symlink') yield { ...entry, symlink: await textOf(limited(bytes)) };
      else yield { ...entry, content: limited(bytes) };
    }
  }
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of source) {
    length += bytes.length;
    if (length > symlinkBytesMax) throw new ApiError(400, `a symlink has more than ${symlinkBytesMax} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Lines of progress, where they are asked for: every 256 KiB of a file, and at its end. */
function progressOf({ options: chosen, response, signal }: AddContext): NonNullable<TreeOptions['onProgress']> {
  if (!chosen.progress || chosen.silent) return () => {};
  let told = 0;
  return (path, bytes, isDone) => {
    if (!isDone && bytes - told < progressStepBytes) return;
    told = isDone ? 0 : bytes;
    if (signal.aborted || (response.writableNeedDrain && !isDone)) return;
    // Not waited for: a line of progress that a slow client misses is made up for by the next.
    void writeLine(response, { Name: path, Bytes: bytes }, signal);
  };
}

/** One line of the answer, its keys in Kubo's order. */
async function tell(
  { response, signal, options: chosen }: AddContext,
  { path, cid, dagSize, mode, mtime }: ImportedEntry,
): Promise<void> {
  if (chosen.silent) return;
  const line = {
    Name: path,
    Hash: printCid(cid, chosen['cid-base']),
    Size: String(dagSize),
    ...printMetadata({ mode, mtime }),
  };
  await writeLine(response, line, signal);
}
