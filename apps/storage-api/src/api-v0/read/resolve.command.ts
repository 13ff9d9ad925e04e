import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveDagPath } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';

const options = { recursive: { kind: 'boolean', default: true }, 'cid-base': { kind: 'text' } } as const;

/** `resolve`: the block that a path leads to. */
@Injectable()
export class ResolveCommand implements Command<typeof options> {
  readonly name = 'resolve';
  readonly scope = 'read';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = argument(args, 0, 'name');
    if (path.startsWith('/ipns/'))
      throw new ApiError(400, 'IPNS names are not resolved here; give a path under /ipfs/');
    const { cid, remainder } = await resolveDagPath(this.store, path, { signal });
    sendJson(response, { Path: ['/ipfs', printCid(cid, chosen['cid-base']), ...remainder].join('/') });
  }
}
