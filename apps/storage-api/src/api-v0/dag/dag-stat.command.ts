import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { visitDag } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';

const options = { progress: { kind: 'boolean', default: true }, 'cid-base': { kind: 'text' } } as const;
const progressEvery = 10_000;
const seenMax = 4_000_000;

/** `dag/stat`: how much DAGs hold, each and together; blocks that several share count once together. */
@Injectable()
export class DagStatCommand implements Command<typeof options> {
  readonly name = 'dag/stat';
  readonly scope = 'read';
  readonly args = { name: 'root', min: 1, max: 100 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const seen = new Set<string>();
    let uniqueBytes = 0;
    const stats: { readonly Cid: string; Size: number; NumBlocks: number }[] = [];
    const summary = () => {
      const TotalSize = stats.reduce((sum, { Size }) => sum + Size, 0);
      return {
        UniqueBlocks: seen.size,
        TotalSize: uniqueBytes,
        SharedSize: TotalSize - uniqueBytes,
        Ratio: uniqueBytes === 0 ? 1 : TotalSize / uniqueBytes,
        DagStats: stats,
      };
    };
    for (const root of await resolveAll(this.store, args, signal)) {
      const stat = { Cid: printCid(root, chosen['cid-base']), Size: 0, NumBlocks: 0 };
      stats.push(stat);
      for await (const { cid, bytes, isRepeated } of visitDag(this.store, root, { signal })) {
        if (isRepeated) continue;
        stat.Size += bytes;
        stat.NumBlocks++;
        const key = Buffer.from(cid.multihash.bytes).toString('latin1');
        if (!seen.has(key)) uniqueBytes += bytes;
        seen.add(key);
        if (seen.size > seenMax) throw new ApiError(400, `the DAGs have more than ${seenMax} blocks together`);
        if (chosen.progress && stat.NumBlocks % progressEvery === 0) await writeLine(response, summary(), signal);
      }
    }
    await writeLine(response, summary(), signal);
    endLines(response);
  }
}
