import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { jsonListPieces, sendJsonPieces } from '../write.ts';
import { type DagChange, diffDags } from './diff-dags.ts';

const options = { verbose: { kind: 'boolean', alias: 'v' } } as const;

/** `object/diff`: lists the links in which two DAGs differ. */
@Injectable()
export class ObjectDiffCommand implements Command<typeof options> {
  readonly name = 'object/diff';
  readonly scope = 'read';
  readonly args = { name: ['obj_a', 'obj_b'], min: 2, max: 2 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, response, signal }: CommandContext<typeof options>): Promise<void> {
    const before = await resolveToBlock(this.store, argument(args, 0, 'obj_a'), resolveOptionsOf(signal));
    const after = await resolveToBlock(this.store, argument(args, 1, 'obj_b'), resolveOptionsOf(signal));
    const changes = await diffDags(this.store, before, after, signal);
    await sendJsonPieces(response, piecesOf(changes), signal);
  }
}

function* piecesOf(changes: readonly DagChange[]): Generator<string> {
  yield '{"Changes":';
  yield* jsonListPieces(printed(changes));
  yield '}';
}

function* printed(changes: readonly DagChange[]) {
  for (const { type, path, before, after } of changes)
    yield { Type: type, Path: path, Before: linkOf(before), After: linkOf(after) };
}

function linkOf(cid: CID | undefined) {
  return cid === undefined ? null : { '/': cid.toString() };
}
