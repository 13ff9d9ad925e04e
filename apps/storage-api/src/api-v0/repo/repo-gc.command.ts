import { setTimeout as wait } from 'node:timers/promises';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { CollectionReport, Collector } from '@cairn/pinning';
import { COLLECTOR } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { endLines, jsonLinesHeaders, writeLine } from '../write.ts';

const options = {
  'stream-errors': { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  silent: { kind: 'boolean', default: false },
} as const;

const lookAgainMs = 50;

/**
 * `repo/gc`: collects garbage. What only the calling account has written goes at once and is told, line by line; what
 * others have written keeps its grace period, and is not for its eyes.
 */
@Injectable()
export class RepoGcCommand implements Command<typeof options> {
  readonly name = 'repo/gc';
  readonly scope = 'pin';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly options = options;

  constructor(@Inject(COLLECTOR) private readonly collector: Collector) {}

  async run({ principal, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    response.writeHead(200, jsonLinesHeaders);
    const { unreadable } = await this.#collect(principal.account.id, signal, (cids) => {
      if (chosen.silent || signal.aborted) return;
      response.write(cids.map((cid) => `${JSON.stringify({ Key: { '/': cid.toString() } })}\n`).join(''));
    });
    for (const { root, reason } of chosen['stream-errors'] ? unreadable : [])
      await writeLine(response, { Error: `${root}: ${reason}` }, signal);
    if (unreadable.length > 0) {
      throw new ApiError(
        500,
        `nothing was removed: ${unreadable.length} pinned DAGs cannot be walked; see repo/verify`,
      );
    }
    endLines(response);
  }

  /** Waits for a collection that is under way: what it began with does not know what this account has let go since. */
  async #collect(
    account: string,
    signal: AbortSignal,
    onRemoved: (cids: readonly CID[]) => void,
  ): Promise<CollectionReport> {
    while (true) {
      try {
        return await this.collector.collect({ account, signal, onRemoved });
      } catch (error) {
        if (!isCairnError(error, 'COLLECTION_BUSY')) throw error;
        await wait(lookAgainMs, undefined, { signal });
      }
    }
  }
}
