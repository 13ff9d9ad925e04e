import type { Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { type FileTree, Mfs, type TreePath } from '@cairn/mfs';
import type { WriteSession } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { resolveOptionsOf } from '../paths.ts';
import { WriteSessions } from '../write-sessions.ts';

/** A path of Kubo's `files` commands: into the tree of the account, or, as `/ipfs/…`, to any content. */
export interface Located {
  readonly cid: CID;
  readonly name: string;
  readonly isOutside: boolean;
}

/** File tree of an account, for the `files` commands. */
@Injectable()
export class Files {
  constructor(
    @Inject(Mfs) private readonly mfs: Mfs,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(WriteSessions) readonly sessions: WriteSessions,
  ) {}

  /** Opens the current tree. */
  tree({ account }: Principal, signal: AbortSignal): Promise<FileTree> {
    return this.mfs.tree(account.id, { signal });
  }

  /** Resolves a path. @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, PATH_INVALID, LINK_NOT_FOUND, BLOCK_NOT_FOUND */
  async locate(tree: FileTree, path: TreePath, signal: AbortSignal): Promise<Located> {
    const name = path.names.at(-1) ?? '';
    if (path.names[0] !== 'ipfs' || path.text === '/ipfs')
      return { cid: await tree.lookup(path), name, isOutside: false };
    return { cid: await resolveToBlock(this.store, path.text, resolveOptionsOf(signal)), name, isOutside: true };
  }

  /**
   * Changes the tree in a write session. Where `isGrowing` is false the quota does not apply, since removals and
   * renames must work in a full account.
   * @returns the new root
   */
  change(
    principal: Principal,
    signal: AbortSignal,
    change: (tree: FileTree, session: WriteSession) => Promise<void>,
    { isGrowing = true } = {},
  ): Promise<CID> {
    return this.sessions.run(principal, signal, (session) => this.changeIn(session, principal, signal, change), {
      hasQuota: isGrowing,
    });
  }

  /** Like {@link change}, in an open session. The tree then holds the blocks that the session has written. */
  async changeIn(
    session: WriteSession,
    { account }: Principal,
    signal: AbortSignal,
    change: (tree: FileTree, session: WriteSession) => Promise<void>,
  ): Promise<CID> {
    const root = await this.mfs.change(account.id, session, (tree) => change(tree, session), { signal });
    await session.markRetained();
    return root;
  }
}
