import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { resolvePath } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { jsonLinesHeaders, sendJson, write } from '../write.ts';

const options = {
  recursive: { kind: 'boolean', default: true },
  name: { kind: 'text' },
  progress: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `pin/add`: pins DAGs that are here as a whole. */
@Injectable()
export class PinAddCommand implements Command<typeof options> {
  readonly name = 'pin/add';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const cids: CID[] = [];
    for (const path of args) cids.push(await resolvePath(this.store, path, { signal }));
    if (chosen.progress) response.writeHead(200, jsonLinesHeaders);
    for (const cid of cids) {
      await this.pinning.pin(principal.account.id, cid, {
        mode: chosen.recursive ? 'recursive' : 'direct',
        name: chosen.name,
        signal,
        ...(chosen.progress && {
          onProgress: (blocks: number) => void response.write(`${JSON.stringify({ Progress: blocks })}\n`),
        }),
      });
    }
    const answer = { Pins: cids.map((cid) => printCid(cid, chosen['cid-base'])) };
    if (!chosen.progress) return sendJson(response, answer);
    await write(response, `${JSON.stringify(answer)}\n`, signal);
    response.end();
  }
}
