import type { Block } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { readCar } from '@cairn/dag';
import { errorText, isCairnError } from '@cairn/errors';
import type { WriteSession } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { readParts } from '../multipart.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { Uploads } from '../uploads.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  'pin-roots': { kind: 'boolean', default: true },
  silent: { kind: 'boolean', default: false },
  stats: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

const batchBytes = 2 * 1024 * 1024;
const rootsMax = 10_000;

/**
 * `dag/import`: the blocks of CARs, each held to its name, then the pins of their roots. Nothing is pinned before every
 * CAR has been read to its end and its blocks are on the disk.
 */
@Injectable()
export class DagImportCommand implements Command<typeof options> {
  readonly name = 'dag/import';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 0, max: 0 };
  readonly options = options;

  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Uploads) private readonly uploads: Uploads,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    await this.uploads.run(() => this.#import(context));
  }

  async #import({
    principal,
    request,
    options: chosen,
    response,
    signal,
  }: CommandContext<typeof options>): Promise<void> {
    const limited = this.uploads.limiter();
    await this.sessions.run(principal, signal, async (session) => {
      const roots = new Map<string, CID>();
      const stats = { BlockCount: 0, BlockBytesCount: 0 };
      let parts = 0;
      for await (const { bytes } of readParts(request, signal)) {
        parts++;
        // The store holds every block to its name when it takes it.
        const car = await readCar(limited(bytes), { verify: false });
        for (const root of car.roots) roots.set(root.toString(), root);
        if (roots.size > rootsMax) throw new ApiError(400, `the CARs have more than ${rootsMax} roots`);
        await write(session, car.blocks, stats);
      }
      if (parts === 0) throw new ApiError(400, 'argument "path" is required: a multipart part with a CAR');
      await session.store.sync();
      for (const root of chosen['pin-roots'] ? roots.values() : []) {
        const PinErrorMsg = await pin(session, root, signal);
        const line = { Root: { Cid: { '/': printCid(root, chosen['cid-base']) }, PinErrorMsg } };
        if (!chosen.silent || PinErrorMsg !== '') await writeLine(response, line, signal);
      }
      if (chosen.stats) await writeLine(response, { Stats: stats }, signal);
    });
    endLines(response);
  }
}

/** Why a root cannot be pinned, or `''`: the roots after it are pinned all the same. */
async function pin(session: WriteSession, root: CID, signal: AbortSignal): Promise<string> {
  try {
    await session.pin(root);
    return '';
  } catch (error) {
    signal.throwIfAborted();
    if (!isCairnError(error)) throw error;
    if (isCairnError(error, 'BLOCK_NOT_FOUND') && error.details.cid === root.toString())
      return 'blockstore: block not found';
    return errorText(error);
  }
}

async function write(
  { store }: WriteSession,
  blocks: AsyncIterable<Block>,
  stats: { BlockCount: number; BlockBytesCount: number },
): Promise<void> {
  let batch: Block[] = [];
  let waiting = 0;
  for await (const block of blocks) {
    batch.push(block);
    waiting += block.bytes.length;
    stats.BlockCount++;
    stats.BlockBytesCount += block.bytes.length;
    if (waiting < batchBytes && batch.length < 1000) continue;
    await store.putMany(batch);
    batch = [];
    waiting = 0;
  }
  await store.putMany(batch);
}
