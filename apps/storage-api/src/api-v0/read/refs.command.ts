import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';
import { RefsWalk } from './refs-walk.ts';

const options = {
  format: { kind: 'text', default: '<dst>' },
  edges: { kind: 'boolean', default: false, alias: 'e' },
  unique: { kind: 'boolean', default: false, alias: 'u' },
  recursive: { kind: 'boolean', default: false, alias: 'r' },
  'max-depth': { kind: 'integer', default: -1, min: -(2 ** 31), max: 2 ** 31 - 1 },
  'cid-base': { kind: 'text' },
} as const;

type RefsContext = CommandContext<typeof options>;

/** Reports the error also when the timeout of the request has passed. */
const neverAborted = new AbortController().signal;

/** `refs`: lists the links of blocks; with `recursive` those of all blocks below, depth first. */
@Injectable()
export class RefsCommand implements Command<typeof options> {
  readonly name = 'refs';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: RefsContext): Promise<void> {
    const format = formatOf(chosen);
    const { recursive, unique, 'cid-base': base } = chosen;
    const walk = new RefsWalk(this.store, { depthMax: recursive ? chosen['max-depth'] : 1, isUnique: unique, signal });
    for (const root of await resolveAll(this.store, args, signal)) {
      try {
        for await (const { src, dst, name } of walk.below(root)) {
          const tokens = { src: printCid(src, base), dst: printCid(dst, base), linkname: name };
          // One pass, so that a name that looks like a token is not replaced.
          const Ref = format.replace(/<(src|dst|linkname)>/g, (_, token: keyof typeof tokens) => tokens[token]);
          await writeLine(response, { Ref, Err: '' }, signal);
        }
      } catch (error) {
        // Matches Kubo: a path that cannot be read has a line with the error, and the other paths follow.
        const reason = apiErrorFrom(error);
        if (reason === undefined || response.destroyed) throw error;
        await writeLine(response, { Ref: '', Err: reason.message }, neverAborted);
      }
    }
    endLines(response);
  }
}

function formatOf({ format, edges }: RefsContext['options']): string {
  if (!edges) return format === '' ? '<dst>' : format;
  if (format !== '<dst>') throw new ApiError(400, 'using format argument with edges is not allowed');
  return '<src> -> <dst>';
}
