import type { Block } from '@cairn/blockstore';
import { assertHashAllowed } from '@cairn/cid';
import type { WriteSession } from '@cairn/pinning';
import { SETTINGS } from '@cairn/service-kit/nest';
import { type ImportedEntry, importTree, type TreeOptions } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import type { Command, CommandContext } from '../command.ts';
import { Files } from '../files/files.ts';
import { readParts } from '../multipart.ts';
import type { PartMetadata } from '../part-metadata.ts';
import { printCid } from '../print-cid.ts';
import { Uploads } from '../uploads.ts';
import { workOf } from '../with-work.ts';
import { endLines, writeLine } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { type AddEntry, addEntries } from './add-entries.ts';
import { addOptions, treeOptions } from './add-options.ts';
import { DurableLines } from './durable-lines.ts';
import { nameOfAdd } from './name-of-add.ts';
import { putInTree } from './to-files.ts';

type AddContext = CommandContext<typeof addOptions>;
type Imported = ImportedEntry<AddEntry>;

/** Received bytes of a file. */
interface Progress {
  readonly path: string;
  readonly bytes: number;
  readonly top: AddEntry | undefined;
}

type Line = Imported | Progress;

function isImported(line: Line): line is Imported {
  return 'cid' in line;
}

const progressStepBytes = 256 * 1024;
const onlyHashStore = (signal: AbortSignal) => ({
  putMany: async (blocks: readonly Block[]) => {
    for (const { cid } of blocks) assertHashAllowed(cid.multihash);
    workOf(signal)?.blocks(blocks.map(({ bytes }) => bytes.length));
    for (const { bytes, lentBy } of blocks) lentBy?.giveBack(bytes);
  },
});

/**
 * `add`: imports files, directories and symlinks as UnixFS DAGs with Kubo's CIDs. Each line is written when its
 * blocks and the pin of its root are on the disk. An add that ends early pins only what it has reported.
 */
@Injectable()
export class AddCommand implements Command<typeof addOptions> {
  readonly name = 'add';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 0, max: 0 };
  readonly file = 'path';
  readonly options = addOptions;

  constructor(
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(Files) private readonly files: Files,
  ) {}

  async run(context: AddContext): Promise<void> {
    const options = treeOptions(context.options, this.settings);
    await this.uploads.run(context.principal.account.id, async () => {
      if (context.options['only-hash']) await this.#add(context, options);
      else
        await this.sessions.run(context.principal, context.signal, (session) => this.#add(context, options, session));
    });
    // A client may send its next upload as soon as the response ends, so the permit of this one is free by then.
    endLines(context.response);
  }

  async #add(context: AddContext, options: TreeOptions, session?: WriteSession): Promise<void> {
    const { request, options: chosen } = context;
    const failure = new AbortController();
    const signal = AbortSignal.any([context.signal, failure.signal]);
    const entries = addEntries(readParts(request, signal), chosen, this.uploads.limiter());
    let rootsBefore = 0;
    const lines = new DurableLines<Line>({
      keep: async (waiting) => {
        const roots = waiting.filter(isImported).filter(({ isRoot }) => isRoot);
        if (session && waiting.some(isImported)) await this.#keep(context, session, roots);
        if (session && chosen['to-files'] !== undefined && roots.length > 0)
          await this.#putInTree(context, session, waiting, { roots, before: rootsBefore });
        else for (const line of waiting) await report(context, line);
        rootsBefore += roots.length;
      },
      onFailure: (error) => failure.abort(error),
    });
    const store = session?.store ?? onlyHashStore(context.signal);
    try {
      const importing = importTree<AddEntry>(entries, store, {
        ...options,
        signal,
        buffers: this.uploads.buffers,
        onProgress: progressOf(context, lines),
      });
      for await (const entry of importing) await lines.add(entry);
      await lines.end();
    } catch (error) {
      // Matches Kubo: entries before the failed one are reported.
      if (!signal.aborted) await lines.end().catch(() => {});
      throw error;
    } finally {
      await lines.discard();
    }
  }

  /**
   * Makes blocks durable, then pins. In this order a crash between them leaves blocks without a pin, never the
   * reverse.
   */
  async #keep({ options: chosen }: AddContext, session: WriteSession, roots: readonly Imported[]): Promise<void> {
    await session.store.sync();
    const cids = roots.map(({ cid }) => cid);
    if (chosen.pin) await session.pinMany(cids, { name: chosen['pin-name'], addedAs: namesOfAdd(roots) });
    else if (chosen['to-files'] === undefined) await session.claimUnpinned(cids);
  }

  /**
   * Puts roots into the file tree and reports lines. As in Kubo, a root that the tree refuses is reported before its
   * error.
   */
  async #putInTree(
    context: AddContext,
    session: WriteSession,
    waiting: readonly Line[],
    { roots, before }: { readonly roots: readonly Imported[]; readonly before: number },
  ): Promise<void> {
    const { options: chosen, principal, signal } = context;
    const put = (some: readonly Imported[], first: number) =>
      this.files.changeIn(session, principal, signal, async (tree) => {
        for (const [index, { cid, path, top }] of some.entries()) {
          // A file without a name is reported by its CID, which is not a name for the tree.
          const name = top?.path === '' ? '' : path;
          await putInTree(tree, chosen['to-files'] ?? '', { cid, name }, before + first + index === 0);
        }
      });
    const isDone = await put(roots, 0).then(
      () => true,
      () => false,
    );
    if (!isDone && !chosen.pin) await session.claimUnpinned(roots.map(({ cid }) => cid));
    for (const line of waiting) {
      await report(context, line);
      if (!isDone && isImported(line) && line.isRoot) await put([line], roots.indexOf(line));
    }
  }
}

/** Names of roots by CID, as they were added. */
function namesOfAdd(roots: readonly Imported[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { path, cid, top } of roots) {
    const name = top?.path === '' ? undefined : nameOfAdd(cid, path);
    if (name !== undefined) names.set(cid.toString(), name);
  }
  return names;
}

/** Writes lines of progress where they are requested: every 256 KiB of a file, and at its end. */
function progressOf({ options: chosen, response, signal }: AddContext, lines: DurableLines<Line>) {
  if (!chosen.progress) return () => {};
  let reported = 0;
  let last: Progress | undefined;
  return (path: string, bytes: number, isDone: boolean, top: AddEntry | undefined) => {
    if (!isDone && bytes - reported < progressStepBytes) return;
    reported = isDone ? 0 : bytes;
    // The next line includes the progress of a line that a slow client misses.
    if (signal.aborted || (response.writableNeedDrain && !isDone)) return;
    const line = { path, bytes, top };
    lines.pass(line, last?.path === path ? last : undefined);
    last = isDone ? undefined : line;
  };
}

/** Writes one line of the response, its keys in Kubo's order. `silent` omits the lines of files, as in Kubo. */
async function report({ response, signal, options: chosen }: AddContext, line: Line): Promise<void> {
  if (!isImported(line)) {
    const { path, bytes, top } = line;
    await writeLine(response, { Name: path, ...(bytes > 0 && { Bytes: bytes }), ...printPart(top?.part) }, signal);
    return;
  }
  const { path, cid, dagSize, type, top } = line;
  if (chosen.silent && type !== 'directory') return;
  const values = {
    Name: path,
    Hash: printCid(cid, chosen['cid-base'], chosen['upgrade-cidv0-in-output']),
    Size: String(dagSize),
    ...printPart(top?.part),
  };
  await writeLine(response, values, signal);
}

/** Mode and time of the top part as they were sent, which Kubo reports on each line below it. */
function printPart(part: PartMetadata | undefined) {
  if (part === undefined) return {};
  const { fileMode, mtime } = part;
  return {
    ...(fileMode !== 0 && { Mode: `0${fileMode.toString(8)}` }),
    ...(mtime && mtime.seconds !== 0 && { Mtime: mtime.seconds }),
    ...(mtime?.nanoseconds && { MtimeNsecs: mtime.nanoseconds }),
  };
}
