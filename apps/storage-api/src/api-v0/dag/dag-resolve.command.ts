import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveDagPath } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { sendJson } from '../write.ts';

/** `dag/resolve`: returns the block of a path, and the rest of the path within it. */
@Injectable()
export class DagResolveCommand implements Command<Record<never, never>> {
  readonly name = 'dag/resolve';
  readonly scope = 'read';
  readonly args = { name: 'ref', min: 1, max: 1 };
  readonly options = {};

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    const { cid, remainder } = await resolveDagPath(this.store, argument(args, 0, 'ref'), resolveOptionsOf(signal));
    sendJson(response, {
      Cid: { '/': cid.toString() },
      RemPath: remainder.map((name) => `/${name}`).join(''),
    });
  }
}
