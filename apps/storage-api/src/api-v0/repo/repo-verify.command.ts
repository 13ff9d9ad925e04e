import { type Blockstore, type CollectableBlockstore, withVerification } from '@cairn/blockstore';
import { COLLECTABLE } from '@cairn/blockstore/nest';
import { codecs } from '@cairn/cid';
import { errorText, isCairnError } from '@cairn/errors';
import { visitDag } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { HeldRoots } from '../held-roots.ts';
import { writeLine } from '../write.ts';

const progressEvery = 1000;

/**
 * `repo/verify`: reads every block that the account holds and checks it against its name. What is wrong is set aside, and
 * mended when the same content is added again.
 */
@Injectable()
export class RepoVerifyCommand implements Command<Record<never, never>> {
  readonly name = 'repo/verify';
  readonly scope = 'read';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly options = {};

  /** Without the cache: what it would give was read before. */
  readonly #store: Blockstore;

  constructor(
    @Inject(COLLECTABLE) store: CollectableBlockstore,
    @Inject(HeldRoots) private readonly held: HeldRoots,
  ) {
    this.#store = withVerification(store, { quarantine: store });
  }

  async run({ principal, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    let checked = 0;
    let bad = 0;
    for await (const { cid: root, isWhole } of this.held.of(principal.account.id)) {
      const blocks = isWhole ? visitDag(this.#store, root, { signal }) : [{ cid: root }];
      const found = async (error: unknown) => {
        if (!isCairnError(error)) throw error;
        bad++;
        await writeLine(response, { Msg: `${root}: ${errorText(error)}`, Progress: 0 }, signal);
      };
      try {
        for await (const { cid } of blocks) {
          // The walk has read what has links; leaves are read here. Either read checks the bytes.
          if (!isWhole || cid.code === codecs.raw) await this.#store.get(cid, { signal }).catch(found);
          if (++checked % progressEvery === 0) await writeLine(response, { Msg: '', Progress: checked }, signal);
        }
      } catch (error) {
        await found(error);
      }
    }
    if (bad > 0) throw new ApiError(500, `verify complete, some blocks were corrupt or missing: ${bad}`);
    await writeLine(response, { Msg: 'verify complete, all blocks validated.', Progress: 0 }, signal);
    response.end();
  }
}
