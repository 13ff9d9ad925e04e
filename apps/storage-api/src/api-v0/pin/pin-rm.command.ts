import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { Pinning } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';

const options = {
  recursive: { kind: 'boolean', default: true, alias: 'r' },
  'cid-base': { kind: 'text' },
} as const;

/** `pin/rm`: removes pins of the calling account one after the other, and stops at one that does not exist. */
@Injectable()
export class PinRmCommand implements Command<typeof options> {
  readonly name = 'pin/rm';
  readonly scope = 'pin';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const Pins: string[] = [];
    for (const path of args) {
      const cid = await resolveToBlock(this.store, path, resolveOptionsOf(signal));
      await this.pinning.unpin(principal.account.id, [cid], { recursive: chosen.recursive });
      Pins.push(printCid(cid, chosen['cid-base']));
    }
    sendJson(response, { Pins });
  }
}
