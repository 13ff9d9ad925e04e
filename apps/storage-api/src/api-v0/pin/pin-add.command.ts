import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { SessionPinOptions, WriteSession } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { jsonLinesHeaders, sendJson, writeLine } from '../write.ts';

const options = {
  recursive: { kind: 'boolean', default: true },
  name: { kind: 'text' },
  progress: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `pin/add`: pins DAGs that are here as a whole. */
@Injectable()
export class PinAddCommand implements Command<typeof options> {
  readonly name = 'pin/add';
  readonly scope = 'pin';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const cids = await resolveAll(this.store, args, signal);
    if (chosen.progress) response.writeHead(200, jsonLinesHeaders);
    await this.sessions.run(principal, signal, async (session) => {
      for (const cid of cids) {
        await this.#pin(session, cid, signal, {
          mode: chosen.recursive ? 'recursive' : 'direct',
          name: chosen.name,
          ...(chosen.progress && {
            onProgress: (blocks: number) => void response.write(`${JSON.stringify({ Progress: blocks })}\n`),
          }),
        });
      }
    });
    const answer = { Pins: cids.map((cid) => printCid(cid, chosen['cid-base'])) };
    if (!chosen.progress) return sendJson(response, answer);
    await writeLine(response, answer, signal);
    response.end();
  }

  /** Pins, and waits for blocks that are not here yet as long as a read of them would. */
  async #pin(session: WriteSession, cid: CID, signal: AbortSignal, how: SessionPinOptions): Promise<void> {
    while (true) {
      try {
        await session.pin(cid, how);
        return;
      } catch (error) {
        if (!isCairnError(error, 'BLOCK_NOT_FOUND')) throw error;
        await this.store.get(parseCid(String(error.details.cid)), { signal });
      }
    }
  }
}
