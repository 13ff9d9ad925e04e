import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { Pinning } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  force: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/**
 * `block/rm`: removes blocks that the account has written. A line states that a block is removed, or why it stays:
 * it is pinned, in the files of the account, or written or held by another account too. As in Kubo, the status is
 * always 200.
 */
@Injectable()
export class BlockRmCommand implements Command<typeof options> {
  readonly name = 'block/rm';
  readonly scope = 'pin';
  readonly args = { name: 'cid', min: 1, max: 1000 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    // All CIDs are parsed before the first block is removed.
    const cids = await resolveAll(this.store, args, signal);
    const outcomes = await this.pinning.discard(principal.account.id, cids, { signal });
    const removed = new Set<string>();
    for (const [index, cid] of cids.entries()) {
      const Hash = printCid(cid, chosen['cid-base']);
      // A repeated CID finds no block the second time.
      const isAgain = outcomes[index] === 'discarded' && removed.has(cid.toString());
      const outcome = isAgain ? 'absent' : (outcomes[index] ?? 'absent');
      if (outcome === 'discarded') removed.add(cid.toString());
      if (outcome === 'discarded' || (outcome === 'absent' && chosen.force)) {
        if (!chosen.quiet) await writeLine(response, { Hash }, signal);
        continue;
      }
      const reason = outcome === 'absent' ? `ipld: could not find ${cid}` : outcome.reason;
      await writeLine(response, { Hash, Error: reason }, signal);
    }
    endLines(response);
  }
}
