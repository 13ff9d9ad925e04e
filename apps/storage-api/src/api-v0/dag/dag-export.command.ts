import type { Block, Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock, writeCar } from '@cairn/dag';
import { visitDag } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { streamHeaders, write } from '../write.ts';

const identity = 0x00;

/** `dag/export`: a DAG as a CAR of version 1, each block once, parents first. */
@Injectable()
export class DagExportCommand implements Command<Record<never, never>> {
  readonly name = 'dag/export';
  readonly scope = 'read';
  readonly args = { name: 'root', min: 1, max: 1 };
  readonly options = {};

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    const root = await resolveToBlock(this.store, argument(args, 0, 'root'), { signal });
    // The root is read before the first byte goes out, so that a DAG that is not here is still an error.
    if (root.multihash.code !== identity) await this.store.get(root, { signal });
    response.writeHead(200, {
      ...streamHeaders,
      'content-type': 'application/vnd.ipld.car; version=1',
      'x-content-type-options': 'nosniff',
    });
    for await (const bytes of writeCar([root], this.#blocks(root, signal))) await write(response, bytes, signal);
    response.end();
  }

  async *#blocks(root: CID, signal: AbortSignal): AsyncGenerator<Block> {
    for await (const { cid, isRepeated } of visitDag(this.store, root, { signal, order: 'depth-first' })) {
      if (isRepeated) continue;
      // The block of an identity CID is in its name; it is written all the same, as Kubo does.
      const { code, digest } = cid.multihash;
      yield { cid, bytes: code === identity ? digest : await this.store.get(cid, { signal }) };
    }
  }
}
