import { parseTreePath } from '@cairn/mfs';
import { readNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = { ...flushOption, 'cid-base': { kind: 'text' } } as const;

/** `files/flush`: returns the CID at a path. Every change is durable before its response, so nothing is written. */
@Injectable()
export class FilesFlushCommand implements Command<typeof options> {
  readonly name = 'files/flush';
  readonly scope = 'read';
  readonly args = { name: 'path', min: 0, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const tree = await this.files.tree(principal, signal);
    // Here Kubo accepts a path without its leading slash.
    const cid = await tree.lookup(parseTreePath(`/${args[0] ?? ''}`));
    const { type } = await readNode(tree.blocks, cid, { signal });
    if (type === 'symlink') throw new ApiError(500, 'symlinks not yet supported');
    sendJson(response, { Cid: printCid(cid, chosen['cid-base']) });
  }
}
