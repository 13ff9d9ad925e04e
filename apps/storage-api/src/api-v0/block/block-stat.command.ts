import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';

const options = { 'cid-base': { kind: 'text' } } as const;

/** `block/stat`: returns the length of a block. */
@Injectable()
export class BlockStatCommand implements Command<typeof options> {
  readonly name = 'block/stat';
  readonly scope = 'read';
  readonly args = { name: 'cid', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const cid = await resolveToBlock(this.store, argument(args, 0, 'cid'), resolveOptionsOf(signal));
    sendJson(response, {
      Key: printCid(cid, chosen['cid-base']),
      Size: (await this.store.get(cid, { signal })).length,
    });
  }
}
