import type { Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { isCairnError } from '@cairn/errors';
import { adoptDag, childPath, type FileTree, parseTreePath, type TreePath, unlinkFile } from '@cairn/mfs';
import { SETTINGS } from '@cairn/service-kit/nest';
import { collapseFile, statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { isFetching, withWholeDag } from '../../network/fetch-missing.ts';
import type { StorageSettings } from '../../settings.ts';
import type { Command, CommandContext } from '../command.ts';
import { namingFor } from '../naming.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';
import { withErrorPrefix } from './with-error-prefix.ts';

const options = {
  ...flushOption,
  parents: { kind: 'boolean', alias: 'p', default: false },
  force: { kind: 'boolean', default: false },
  // Kubo does not list this option, but applies it to directories that it creates.
  hash: { kind: 'text' },
} as const;

/** `files/cp`: copies a file or directory, from the tree or from any content, by reference. */
@Injectable()
export class FilesCpCommand implements Command<typeof options> {
  readonly name = 'files/cp';
  readonly scope = 'add';
  readonly args = { name: ['source', 'dest'], min: 2, max: 2 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const naming = namingFor(this.settings, { 'cid-version': undefined, hash: chosen.hash });
    const { names } = parseTreePath(argument(args, 0, 'source'));
    const from = { names, text: names.map((name) => `/${name}`).join(''), isInto: false };
    const to = parseTreePath(argument(args, 1, 'dest'));
    if (isFetching(signal)) await this.#fetch(principal, from, signal);
    await this.files.change(principal, signal, async (tree, session) => {
      const source = await withErrorPrefix(`cp: cannot get node from path ${from.text}`, () =>
        this.files.locate(tree, from, signal),
      );
      const path = to.isInto ? childPath(to, source.name || '.') : to;
      if (source.isOutside) await adoptDag(tree, session, source.cid, chosen.force ? await sizeAt(tree, path) : 0);
      if (chosen.parents) await tree.makeDirectory(above(path), { parents: true, naming });
      if (chosen.force) await withErrorPrefix('cp: cannot unlink existing file', () => unlinkFile(tree, path));
      // When Kubo flushes copied content, it replaces the root of a single raw leaf by the leaf.
      const isCollapsed = chosen.flush && source.cid.version === 1;
      const cid = isCollapsed ? await collapseFile(tree.blocks, source.cid, { signal }) : source.cid;
      await withErrorPrefix(`cp: cannot put node in path ${path.text}`, () => tree.put(path, cid));
    });
    endLines(response);
  }

  /** Fetches content from outside of the tree before the change, since changes of an account wait for each other. */
  async #fetch(principal: Principal, from: TreePath, signal: AbortSignal): Promise<void> {
    const tree = await this.files.tree(principal, signal);
    // The change reports a source that cannot be found.
    const source = await this.files.locate(tree, from, signal).catch(() => undefined);
    if (source?.isOutside !== true) return;
    await this.sessions.run(principal, signal, async (session) => {
      await withWholeDag(source.cid, { store: this.store, session, signal }, () => session.touch(source.cid));
    });
  }
}

/** Bytes that an entry counts; 0 where none can be found. */
async function sizeAt(tree: FileTree, path: TreePath): Promise<number> {
  const found = await tree.find(path).catch((error: unknown) => {
    if (isCairnError(error, 'NOT_A_DIRECTORY')) return undefined;
    throw error;
  });
  return found ? (await statNode(tree.blocks, found, tree.read)).dagSize : 0;
}

function above({ names }: TreePath): TreePath {
  return parseTreePath(`/${names.slice(0, -1).join('/')}`);
}
