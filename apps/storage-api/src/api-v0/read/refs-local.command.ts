import { type Blockstore, Slices } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { CID, codecs } from '@cairn/cid';
import { Pinning, visitDag } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { RetainedRoots } from '../retained-roots.ts';
import { endLines, writeLine } from '../write.ts';

const seenMax = 4_000_000;

/**
 * `refs/local`: lists the blocks that the account has written or holds by its pins and files, each once, as CIDs of
 * raw blocks, as in Kubo.
 */
@Injectable()
export class RefsLocalCommand implements Command<Record<never, never>> {
  readonly name: string = 'refs/local';
  readonly scope = 'read';
  readonly isLocal = true;
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly worksOnDenied = true;
  readonly options = {};

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(RetainedRoots) private readonly held: RetainedRoots,
    @Inject(Pinning) private readonly pinning: Pinning,
  ) {}

  async run({ principal, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    const listed = new Set<string>();
    const slices = Slices.of(signal);
    const list = async ({ multihash }: CID) => {
      await slices.step();
      const Ref = CID.createV1(codecs.raw, multihash).toString();
      if (listed.has(Ref)) return;
      if (listed.size === seenMax) throw new ApiError(400, `the account holds more than ${seenMax} blocks`);
      listed.add(Ref);
      await writeLine(response, { Ref, Err: '' }, signal);
    };
    for await (const cid of this.pinning.garbageCandidates(principal.account.id)) await list(cid);
    for await (const { cid, isWhole } of this.held.of(principal.account.id)) {
      if (!isWhole) await list(cid);
      else for await (const block of visitDag(this.store, cid, { signal })) await list(block.cid);
    }
    endLines(response);
  }
}

/** `repo/ls`: the same as `refs/local`. */
@Injectable()
export class RepoLsCommand extends RefsLocalCommand {
  override readonly name: string = 'repo/ls';
}
