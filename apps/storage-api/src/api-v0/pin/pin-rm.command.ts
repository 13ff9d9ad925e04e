import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';

const options = {
  recursive: { kind: 'boolean', default: true },
  'cid-base': { kind: 'text' },
} as const;

/** `pin/rm`: removes pins of the calling account, all that are named or none. */
@Injectable()
export class PinRmCommand implements Command<typeof options> {
  readonly name = 'pin/rm';
  readonly scope = 'pin';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const cids = await resolveAll(this.store, args, signal);
    await this.pinning.unpin(principal.account.id, cids, { recursive: chosen.recursive });
    sendJson(response, { Pins: cids.map((cid) => printCid(cid, chosen['cid-base'])) });
  }
}
