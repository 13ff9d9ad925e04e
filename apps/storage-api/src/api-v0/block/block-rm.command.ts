import { parseCid } from '@cairn/cid';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  force: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
} as const;

/**
 * `block/rm`: lets go of blocks that the account has written. They are gone at once where no other account can hold
 * them, else with the next collection of garbage if none does.
 */
@Injectable()
export class BlockRmCommand implements Command<typeof options> {
  readonly name = 'block/rm';
  readonly scope = 'pin';
  readonly args = { name: 'cid', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(PINNING) private readonly pinning: Pinning) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    // All are read before the first is removed.
    const cids = args.map((arg) => parseCid(arg.replace(/^\/?ipfs\//, '')));
    let failed = 0;
    for (const cid of cids) {
      const outcome = await this.pinning.discard(principal.account.id, cid, { signal });
      const Hash = cid.toString();
      if (outcome === 'discarded' || (outcome === 'absent' && chosen.force)) {
        if (!chosen.quiet) await writeLine(response, { Hash }, signal);
        continue;
      }
      failed++;
      const reason = outcome === 'absent' ? `ipld: could not find ${Hash}: block not found` : outcome.reason;
      await writeLine(response, { Hash, Error: reason }, signal);
    }
    if (failed > 0 && args.length === failed && chosen.quiet) throw new ApiError(500, 'some blocks not removed');
    endLines(response);
  }
}
