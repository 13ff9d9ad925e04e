import type { CID } from '@cairn/cid';
import { Collector } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  'stream-errors': { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  silent: { kind: 'boolean', default: false },
} as const;

/** Kubo's message (`gc.ErrCannotFetchAllLinks`). */
const abortedText = 'garbage collection aborted: could not retrieve some links';

/**
 * `repo/gc`: removes the blocks that only the calling account has written and no longer holds, one line each. Blocks
 * that others have written too are left to the collections of the service. The cost depends on the blocks that the
 * account holds and held.
 */
@Injectable()
export class RepoGcCommand implements Command<typeof options> {
  readonly name = 'repo/gc';
  readonly scope = 'pin';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(@Inject(Collector) private readonly collector: Collector) {}

  async run({ principal, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    // Matches Kubo: `silent` concerns keys, and streamed errors include all of them.
    const isSilent = chosen.silent && !chosen['stream-errors'];
    let written = Promise.resolve();
    const onRemoved = (cids: readonly CID[]) => {
      if (isSilent) return;
      written = written.then(async () => {
        for (const cid of cids) await writeLine(response, { Key: { '/': cid.toString() } }, signal);
      });
      // Reported below: the collection may continue after its listener.
      written.catch(() => {});
    };
    const { unreadable } = await this.collector.collectFor(principal.account.id, { signal, onRemoved });
    await written;
    const errors = unreadable.map(({ root, reason }) => `could not retrieve links for ${root}: ${reason}`);
    if (errors.length > 0) {
      errors.push(abortedText);
      if (!chosen['stream-errors']) throw new ApiError(500, errors.join('; '));
      for (const text of errors) await writeLine(response, { Key: null, Error: text }, signal);
      throw new ApiError(500, 'encountered errors during gc run');
    }
    endLines(response);
  }
}
