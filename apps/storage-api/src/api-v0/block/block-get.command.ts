import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { sendHead, streamHeaders } from '../write.ts';

/** `block/get`: returns the bytes of a block. */
@Injectable()
export class BlockGetCommand implements Command<Record<never, never>> {
  readonly name = 'block/get';
  readonly scope = 'read';
  readonly args = { name: 'cid', min: 1, max: 1 };
  readonly options = {};

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    const cid = await resolveToBlock(this.store, argument(args, 0, 'cid'), resolveOptionsOf(signal));
    const bytes = await this.store.get(cid, { signal });
    sendHead(response, { ...streamHeaders, 'content-type': 'application/vnd.ipld.raw' });
    response.end(bytes);
  }
}
