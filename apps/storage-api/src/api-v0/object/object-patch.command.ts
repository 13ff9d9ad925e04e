import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { editLinks, type LinkEdit, linkNames, linkTo, readPbNode, requireDirectory } from './pb-links.ts';

const rmOptions = { 'allow-non-unixfs': { kind: 'boolean', default: false }, 'cid-base': { kind: 'text' } } as const;
const addOptions = { create: { kind: 'boolean', alias: 'p', default: false }, ...rmOptions } as const;

/** Applies an edit to a DAG and sends the CID of the new root. */
async function sendPatched(
  { principal, response, signal, options }: CommandContext<typeof rmOptions>,
  { sessions, root, edit }: { readonly sessions: WriteSessions; readonly root: CID; readonly edit: LinkEdit },
): Promise<void> {
  const cid = await sessions.run(principal, signal, async (session) => {
    const blocks = await editLinks(session.store, root, edit, signal);
    await session.store.putMany(blocks);
    await session.claimUnpinned();
    return blocks.at(-1)?.cid ?? root;
  });
  sendJson(response, { Hash: printCid(cid, options['cid-base']) });
}

/** `object/patch/add-link`: adds an entry to a directory, or replaces the one of that name. */
@Injectable()
export class ObjectPatchAddLinkCommand implements Command<typeof addOptions> {
  readonly name = 'object/patch/add-link';
  readonly scope = 'add';
  readonly args = { name: ['root', 'name', 'ref'], min: 3, max: 3 };
  readonly options = addOptions;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
  ) {}

  async run(context: CommandContext<typeof addOptions>): Promise<void> {
    const { args, options: chosen, signal } = context;
    const { store, sessions } = this;
    const root = await resolveToBlock(store, argument(args, 0, 'root'), resolveOptionsOf(signal));
    const names = linkNames(argument(args, 1, 'name'));
    const ref = await resolveToBlock(store, argument(args, 2, 'ref'), resolveOptionsOf(signal));
    const link = await linkTo(store, ref, signal);
    const node = await readPbNode(store, root, signal);
    if (!chosen['allow-non-unixfs']) requireDirectory(node, 'add');
    await sendPatched(context, { sessions, root, edit: { names, link, create: chosen.create } });
  }
}

/** `object/patch/rm-link`: removes an entry from a directory. */
@Injectable()
export class ObjectPatchRmLinkCommand implements Command<typeof rmOptions> {
  readonly name = 'object/patch/rm-link';
  readonly scope = 'add';
  readonly args = { name: ['root', 'name'], min: 2, max: 2 };
  readonly options = rmOptions;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
  ) {}

  async run(context: CommandContext<typeof rmOptions>): Promise<void> {
    const { args, options: chosen, signal } = context;
    const { store, sessions } = this;
    const root = await resolveToBlock(store, argument(args, 0, 'root'), resolveOptionsOf(signal));
    const names = linkNames(argument(args, 1, 'name'));
    const node = await readPbNode(store, root, signal);
    if (!chosen['allow-non-unixfs']) requireDirectory(node, 'remove');
    await sendPatched(context, { sessions, root, edit: { names, link: undefined, create: false } });
  }
}
