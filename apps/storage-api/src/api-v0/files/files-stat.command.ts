import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { visitDag } from '@cairn/pinning';
import { statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { printMetadata } from '../metadata-options.ts';
import { argument } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';
import { Files } from './files.ts';

const options = {
  'with-local': { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `files/stat`: what a path names. */
@Injectable()
export class FilesStatCommand implements Command<typeof options> {
  readonly name = 'files/stat';
  readonly scope = 'read';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const tree = await this.files.tree(principal, signal);
    const { cid } = await this.files.locate(tree, argument(args, 0, 'path'), signal);
    const { type, fileSize, dagSize, blocks, mode, mtime } = await statNode(tree.blocks, cid, { signal });
    sendJson(response, {
      Hash: printCid(cid, chosen['cid-base']),
      Size: fileSize,
      CumulativeSize: dagSize,
      Blocks: blocks,
      Type: type,
      ...(chosen['with-local'] && (await this.#local(cid, signal))),
      ...printMetadata({ mode, mtime }),
    });
  }

  /** How much of a DAG is here: each block counts once. */
  async #local(cid: CID, signal: AbortSignal) {
    let SizeLocal = 0;
    try {
      for await (const { bytes } of visitDag(this.store, cid, { signal })) SizeLocal += bytes;
      return { WithLocality: true, Local: true, SizeLocal };
    } catch (error) {
      if (!isCairnError(error, 'BLOCK_NOT_FOUND')) throw error;
      return { WithLocality: true, SizeLocal };
    }
  }
}
