import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendJson } from '../write.ts';
import { diffDags } from './diff-dags.ts';

const options = { verbose: { kind: 'boolean', alias: 'v' } } as const;

/** `object/diff`: the links in which two DAGs differ. */
@Injectable()
export class ObjectDiffCommand implements Command<typeof options> {
  readonly name = 'object/diff';
  readonly scope = 'read';
  readonly args = { name: ['obj_a', 'obj_b'], min: 2, max: 2 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, response, signal }: CommandContext<typeof options>): Promise<void> {
    const before = await resolveToBlock(this.store, argument(args, 0, 'obj_a'), { signal });
    const after = await resolveToBlock(this.store, argument(args, 1, 'obj_b'), { signal });
    const changes = await diffDags(this.store, before, after, signal);
    sendJson(response, {
      Changes: changes.map((change) => ({
        Type: change.type,
        Path: change.path,
        Before: linkOf(change.before),
        After: linkOf(change.after),
      })),
    });
  }
}

function linkOf(cid: CID | undefined) {
  return cid === undefined ? null : { '/': cid.toString() };
}
