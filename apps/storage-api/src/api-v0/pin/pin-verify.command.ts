import { type Blockstore, Slices } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { Pinning } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';
import { findBadBlocks } from './find-bad-blocks.ts';

const options = {
  verbose: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false, alias: 'q' },
  'cid-base': { kind: 'text' },
} as const;

/**
 * `pin/verify`: lists the pinned DAGs that are incomplete, with their missing blocks; with `verbose`, the complete
 * ones too.
 */
@Injectable()
export class PinVerifyCommand implements Command<typeof options> {
  readonly name = 'pin/verify';
  readonly scope = 'read';
  readonly isLocal = true;
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const { verbose, quiet, 'cid-base': base } = chosen;
    if (verbose && quiet) throw new ApiError(400, 'the --verbose and --quiet options can not be used at the same time');
    const slices = Slices.of(signal);
    for await (const { cid, mode } of this.pinning.list(principal.account.id)) {
      await slices.step();
      if (mode !== 'recursive') continue;
      const bad = await findBadBlocks(this.store, cid, signal);
      const Cid = printCid(cid, base);
      const BadNodes = bad.map((block) => ({ Cid: printCid(block.cid, base), Err: block.reason }));
      if (bad.length > 0) await writeLine(response, quiet ? { Cid } : { Cid, BadNodes }, signal);
      else if (verbose) await writeLine(response, { Cid, Ok: true }, signal);
    }
    endLines(response);
  }
}
