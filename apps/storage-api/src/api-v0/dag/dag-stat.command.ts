import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveDagPath } from '@cairn/dag';
import { cidKey } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, prefixed } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';
import { walkInOrder } from './walk-in-order.ts';

const options = { progress: { kind: 'boolean', default: true, alias: 'p' }, 'cid-base': { kind: 'text' } } as const;
/** Number of blocks with one line of progress each, as in Kubo. Beyond it, every so many blocks have a line. */
const progressEvery = 1000;
const seenMax = 4_000_000;

/** `dag/stat`: counts the blocks and bytes of DAGs, each and together. Shared blocks count once in the sum. */
@Injectable()
export class DagStatCommand implements Command<typeof options> {
  readonly name = 'dag/stat';
  readonly scope = 'read';
  readonly args = { name: 'root', min: 1, max: 100 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const seen = new Set<string>();
    const stats: { readonly Cid: string; Size: number; NumBlocks: number }[] = [];
    let TotalSize = 0;
    const DagStats = () =>
      stats.map(({ Cid, Size, NumBlocks }) => ({
        Cid,
        ...(Size > 0 && { Size }),
        ...(NumBlocks > 0 && { NumBlocks }),
      }));
    for (const path of args) {
      const { cid: root, remainder } = await resolveDagPath(this.store, path, resolveOptionsOf(signal));
      if (remainder.length > 0)
        throw new ApiError(400, 'cannot return size for anything other than a DAG with a root CID');
      const stat = { Cid: printCid(root, chosen['cid-base']), Size: 0, NumBlocks: 0 };
      for await (const { cid, bytes } of walkInOrder(this.store, root, signal, { explain: traversalError(root) })) {
        if (stat.NumBlocks === 0) stats.push(stat);
        stat.Size += bytes;
        stat.NumBlocks++;
        // Counted by CID: as in Kubo, versions 0 and 1 of one multihash are two blocks.
        const key = cidKey(cid.bytes);
        if (!seen.has(key)) TotalSize += bytes;
        seen.add(key);
        if (seen.size > seenMax) throw new ApiError(400, `the DAGs have more than ${seenMax} blocks together`);
        if (!chosen.progress || (seen.size > progressEvery && seen.size % progressEvery !== 0)) continue;
        await writeLine(response, { ...(TotalSize > 0 && { TotalSize }), DagStats: DagStats() }, signal);
      }
    }
    const SharedSize = stats.reduce((sum, { Size }) => sum + Size, 0) - TotalSize;
    const summary = {
      UniqueBlocks: seen.size,
      ...(TotalSize > 0 && { TotalSize }),
      ...(SharedSize > 0 && { SharedSize }),
      Ratio: TotalSize === 0 ? 1 : float32((TotalSize + SharedSize) / TotalSize),
      DagStats: DagStats(),
    };
    await writeLine(response, summary, signal);
    endLines(response);
  }
}

/** Kubo's message for an error below the root. */
function traversalError(root: { equals(other: unknown): boolean }) {
  return (cid: unknown, error: unknown): unknown => {
    const reason = root.equals(cid) ? undefined : apiErrorFrom(error);
    return reason?.status === 500 ? prefixed(reason, 'error traversing DAG') : error;
  };
}

/** Shortest number that equals a 32-bit float, since Kubo's ratio is one. */
function float32(value: number): number {
  const wanted = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(wanted.toPrecision(digits));
    if (Math.fround(shorter) === wanted) return shorter;
  }
  return Number(wanted.toPrecision(9));
}
