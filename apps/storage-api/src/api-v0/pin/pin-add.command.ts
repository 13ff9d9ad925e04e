import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, parseCid } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { isCairnError } from '@cairn/errors';
import type { DagSize, Pin, PinOptions, WriteSession } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { isFetching, withWholeDag } from '../../network/fetch-missing.ts';
import { ApiError, prefixed } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, sendJson, writeLine } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { checkPinName } from './pin-name.ts';

const options = {
  recursive: { kind: 'boolean', default: true, alias: 'r' },
  name: { kind: 'text', alias: 'n' },
  progress: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** Milliseconds between two lines of progress. */
const progressMs = 500;

/** `pin/add`: pins complete DAGs, one after the other. */
@Injectable()
export class PinAddCommand implements Command<typeof options> {
  readonly name = 'pin/add';
  readonly scope = 'pin';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    checkPinName(chosen.name);
    const Pins: string[] = [];
    let walked = { blocks: 0, bytes: 0 };
    let reportedAt = performance.now();
    const onProgress = (blocks: number) => {
      if (performance.now() - reportedAt < progressMs) return;
      reportedAt = performance.now();
      void writeLine(response, { Progress: walked.blocks + blocks }, signal).catch(() => {});
    };
    await this.sessions.run(principal, signal, async (session) => {
      for (const path of args) {
        const cid = await resolveToBlock(this.store, path, resolveOptionsOf(signal));
        const { mode, size } = await this.#pin(session, cid, signal, {
          mode: chosen.recursive ? 'recursive' : 'direct',
          // Matches Kubo: pinning again without a name removes the earlier name.
          name: chosen.name ?? '',
          ...(chosen.progress && { onProgress }),
        });
        if (mode === 'recursive') walked = { blocks: walked.blocks + size.blocks, bytes: walked.bytes + size.bytes };
        Pins.push(printCid(cid, chosen['cid-base']));
      }
    });
    if (!chosen.progress) return sendJson(response, { Pins });
    const { blocks, bytes } = walked;
    if (blocks > 0) await writeLine(response, { Progress: blocks, ...(bytes > 0 && { Bytes: bytes }) }, signal);
    await writeLine(response, { Pins }, signal);
    endLines(response);
  }

  /** Pins a DAG. Its missing blocks are fetched, or waited for as long as a read would. */
  async #pin(session: WriteSession, cid: CID, signal: AbortSignal, how: PinOptions): Promise<Pin> {
    const { store } = this;
    const onSize = how.onProgress && (({ blocks }: DagSize) => how.onProgress?.(blocks));
    try {
      if (how.mode === 'direct') await store.get(cid, { signal });
      return await withWholeDag(cid, { store, session, signal, onSize }, () =>
        this.#pinPresent(session, cid, signal, how),
      );
    } catch (error) {
      if (isCairnError(error, 'PIN_MODE_CONFLICT')) throw new ApiError(500, `pin: ${cid} already pinned recursively`);
      const reason = apiErrorFrom(error);
      if (reason?.status !== 500) throw error;
      throw prefixed(reason, 'pin');
    }
  }

  /** Pins a DAG whose missing blocks another process may be about to write. */
  async #pinPresent(session: WriteSession, cid: CID, signal: AbortSignal, how: PinOptions): Promise<Pin> {
    while (true) {
      try {
        return await session.pin(cid, how);
      } catch (error) {
        if (!isCairnError(error, 'BLOCK_NOT_FOUND') || isFetching(signal)) throw error;
        await this.store.get(parseCid(String(error.details.cid)), { signal });
      }
    }
  }
}
