import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, codecs } from '@cairn/cid';
import { linksOf } from '@cairn/pinning';
import { decodePbNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, apiErrorFrom } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  format: { kind: 'text', default: '<dst>' },
  edges: { kind: 'boolean', default: false },
  unique: { kind: 'boolean', default: false },
  recursive: { kind: 'boolean', default: false },
  'max-depth': { kind: 'integer', min: -1, max: Number.MAX_SAFE_INTEGER },
  'cid-base': { kind: 'text' },
} as const;

type RefsContext = CommandContext<typeof options>;

/** Names held for `unique`, and to know a block whose links were followed. */
const seenMax = 4_000_000;

/** What went wrong is still to be told when the time of the request is over. */
const neverAborted = new AbortController().signal;

interface Edge {
  readonly src: CID;
  readonly dst: CID;
  readonly name: string;
  readonly depth: number;
}

/** `refs`: the links of blocks, with `recursive` those of everything below, depth first. */
@Injectable()
export class RefsCommand implements Command<typeof options> {
  readonly name = 'refs';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: RefsContext): Promise<void> {
    const format = formatOf(chosen);
    const depthMax = chosen.recursive ? depthOf(chosen) : 1;
    const told = new Set<string>();
    for (const root of await resolveAll(this.store, args, signal)) {
      try {
        for await (const { src, dst, name } of this.#edges(root, depthMax, signal)) {
          const key = dst.toString();
          if (chosen.unique && told.has(key)) continue;
          if (chosen.unique) told.add(key);
          if (told.size > seenMax) throw new ApiError(400, `the DAG has more than ${seenMax} blocks`);
          const tokens = {
            src: printCid(src, chosen['cid-base']),
            dst: printCid(dst, chosen['cid-base']),
            linkname: name,
          };
          // One pass, so that a name which looks like a token is not taken for one.
          const Ref = format.replace(/<(src|dst|linkname)>/g, (_, token: keyof typeof tokens) => tokens[token]);
          await writeLine(response, { Ref, Err: '' }, signal);
        }
      } catch (error) {
        // As in Kubo: what cannot be read is told in its place, and the other paths go on.
        const told = apiErrorFrom(error);
        if (told === undefined || response.destroyed) throw error;
        await writeLine(response, { Ref: '', Err: told.message }, neverAborted);
      }
    }
    endLines(response);
  }

  /**
   * Every link of every block once, parents first. A block that occurs again is told as a link, but not followed again
   * unless it is now nearer to the root: a DAG of few blocks may have more paths than stars.
   */
  async *#edges(root: CID, depthMax: number, signal: AbortSignal): AsyncGenerator<Edge> {
    const followed = new Map<string, number>();
    if (depthMax === 0) return;
    const open: Edge[] = (await this.#linksOf(root, 1, signal)).reverse();
    followed.set(root.toString(), 0);
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      signal.throwIfAborted();
      yield edge;
      const { dst, depth } = edge;
      const key = dst.toString();
      const before = followed.get(key);
      const isNearer = before === undefined || (depth < before && Number.isFinite(depthMax));
      if (dst.code === codecs.raw || depth >= depthMax || !isNearer) continue;
      followed.set(key, depth);
      if (followed.size > seenMax) throw new ApiError(400, `the DAG has more than ${seenMax} blocks`);
      for (const below of (await this.#linksOf(dst, depth + 1, signal)).reverse()) open.push(below);
    }
  }

  async #linksOf(src: CID, depth: number, signal: AbortSignal): Promise<Edge[]> {
    if (src.code === codecs.raw) return [];
    const bytes = await this.store.get(src, { signal });
    if (src.code === codecs['dag-pb'])
      return decodePbNode(bytes).links.map(({ cid, name }) => ({ src, dst: cid, name, depth }));
    return linksOf(src, bytes).map((dst) => ({ src, dst, name: '', depth }));
  }
}

function formatOf({ format, edges }: RefsContext['options']): string {
  if (!edges) return format === '' ? '<dst>' : format;
  if (format !== '<dst>') throw new ApiError(400, 'using format argument with edges is not allowed');
  return '<src> -> <dst>';
}

function depthOf(chosen: RefsContext['options']): number {
  const given = chosen['max-depth'] ?? -1;
  return given < 0 ? Number.POSITIVE_INFINITY : given;
}
