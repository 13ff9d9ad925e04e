import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, codecs } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import type { WriteSession } from '@cairn/pinning';
import {
  addLink,
  findEntry,
  InvalidPathError,
  importDirectory,
  LinkNotFoundError,
  readNode,
  removeLink,
  statNode,
} from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { sendJson } from '../write.ts';

const addOptions = { create: { kind: 'boolean', default: false }, 'cid-base': { kind: 'text' } } as const;
const rmOptions = { 'cid-base': { kind: 'text' } } as const;

/** What becomes of the directory that holds the last name of a path. */
type Change = (directory: CID, name: string) => Promise<CID>;

/** Applies a change below a directory, and gives the new root. `make`: directories on the way that are not there. */
async function patch(
  session: WriteSession,
  root: CID,
  names: readonly string[],
  change: Change,
  make: boolean,
): Promise<CID> {
  const [name = '', ...rest] = names;
  if (rest.length === 0) return await change(root, name);
  const entry = await findEntry(session.store, await readNode(session.store, root), name);
  if (entry === undefined && !make) throw new LinkNotFoundError(name, root.toString());
  const below = entry?.cid ?? (await importDirectory([], session.store, { cidVersion: root.version })).cid;
  const cid = await patch(session, below, rest, change, make);
  const { dagSize } = await statNode(session.store, cid);
  return (await addLink(session.store, root, { name, cid, tsize: dagSize })).cid;
}

function namesOf(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '');
  if (names.length === 0) throw new InvalidPathError(path, 'it names no link');
  if (names.length > 256) throw new InvalidPathError(path, 'it has more than 256 names');
  return names;
}

/** `object/patch/add-link`: a directory with one more entry, or another one of that name. */
@Injectable()
export class ObjectPatchAddLinkCommand implements Command<typeof addOptions> {
  readonly name = 'object/patch/add-link';
  readonly scope = 'add';
  readonly args = { name: 'root, name and ref', min: 3, max: 3 };
  readonly options = addOptions;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof addOptions>): Promise<void> {
    const root = await resolveToBlock(this.store, argument(args, 0, 'root'), { signal });
    const names = namesOf(argument(args, 1, 'name'));
    const ref = await resolveToBlock(this.store, argument(args, 2, 'ref'), { signal });
    const tsize =
      ref.code === codecs['dag-pb']
        ? (await statNode(this.store, ref, { signal })).dagSize
        : await this.store.size(ref);
    const cid = await this.sessions.run(principal, signal, async (session) => {
      const change: Change = async (directory, name) =>
        (await addLink(session.store, directory, { name, cid: ref, tsize }, { signal })).cid;
      const patched = await patch(session, root, names, change, chosen.create);
      await session.store.sync();
      return patched;
    });
    sendJson(response, { Hash: printCid(cid, chosen['cid-base']) });
  }
}

/** `object/patch/rm-link`: a directory without one of its entries. */
@Injectable()
export class ObjectPatchRmLinkCommand implements Command<typeof rmOptions> {
  readonly name = 'object/patch/rm-link';
  readonly scope = 'add';
  readonly args = { name: 'root and name', min: 2, max: 2 };
  readonly options = rmOptions;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof rmOptions>): Promise<void> {
    const root = await resolveToBlock(this.store, argument(args, 0, 'root'), { signal });
    const names = namesOf(argument(args, 1, 'name'));
    const cid = await this.sessions.run(principal, signal, async (session) => {
      const change: Change = async (directory, name) =>
        (await removeLink(session.store, directory, name, { signal })).cid;
      const patched = await patch(session, root, names, change, false);
      await session.store.sync();
      return patched;
    });
    sendJson(response, { Hash: printCid(cid, chosen['cid-base']) });
  }
}
