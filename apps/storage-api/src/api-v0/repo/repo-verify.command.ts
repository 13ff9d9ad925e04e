import { type Blockstore, type CollectableBlockstore, withVerification, withYielding } from '@cairn/blockstore';
import { COLLECTABLE } from '@cairn/blockstore/nest';
import { type CID, codecs } from '@cairn/cid';
import { errorText, isCairnError } from '@cairn/errors';
import { Pinning, visitDag } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { RetainedRoots } from '../retained-roots.ts';
import { withWork } from '../with-work.ts';
import { writeLine } from '../write.ts';

/** CIDs that are held in memory. Beyond it, a block with two holders is verified twice. */
const namesMax = 4_000_000;

/**
 * `repo/verify`: reads every block that the account holds or has written, and verifies it against its CID. A corrupt
 * block is quarantined, and repaired when the content is added again.
 */
@Injectable()
export class RepoVerifyCommand implements Command<Record<never, never>> {
  readonly name = 'repo/verify';
  readonly scope = 'read';
  readonly isLocal = true;
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly worksOnDenied = true;
  readonly options = {};

  /** Reads without the cache, which holds blocks that were verified earlier. */
  readonly #store: Blockstore;

  constructor(
    @Inject(COLLECTABLE) store: CollectableBlockstore,
    @Inject(RetainedRoots) private readonly held: RetainedRoots,
    @Inject(Pinning) private readonly pinning: Pinning,
  ) {
    this.#store = withWork(withYielding(withVerification(store, { quarantine: store })));
  }

  async run({ principal, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    const { id } = principal.account;
    let checked = 0;
    let corrupt = 0;
    const found = async (cid: CID, error: unknown) => {
      signal.throwIfAborted();
      if (!isCairnError(error)) throw error;
      corrupt++;
      await writeLine(response, { Msg: `block ${cid} was corrupt (${errorText(error)})`, Progress: 0 }, signal);
    };
    const counted = new Set<string>();
    /** Returns false for a block that was verified before. */
    const isNew = ({ multihash }: CID) => {
      const key = Buffer.from(multihash.bytes).toString('latin1');
      if (counted.has(key)) return false;
      if (counted.size < namesMax) counted.add(key);
      return true;
    };
    const count = () => writeLine(response, { Msg: '', Progress: ++checked }, signal);
    const check = async (cid: CID) => {
      if (!isNew(cid)) return;
      await this.#store.get(cid, { signal }).catch((error: unknown) => found(cid, error));
      await count();
    };
    for await (const { cid: root, isWhole } of this.held.of(id)) {
      if (!isWhole) {
        await check(root);
        continue;
      }
      try {
        for await (const { cid } of visitDag(this.#store, root, { signal })) {
          signal.throwIfAborted();
          // The walk has read blocks with links; leaves are read here. Either read verifies the bytes.
          if (cid.code === codecs.raw) await check(cid);
          else if (isNew(cid)) await count();
        }
      } catch (error) {
        await found(root, error);
      }
    }
    for await (const cid of this.pinning.garbageCandidates(id)) await check(cid);
    if (corrupt > 0) throw new ApiError(500, `verify complete, ${corrupt} blocks corrupt`);
    await writeLine(response, { Msg: 'verify complete, all blocks validated.', Progress: 0 }, signal);
    response.end();
  }
}
