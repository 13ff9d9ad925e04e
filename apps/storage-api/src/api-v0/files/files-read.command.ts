import { NotAFilePathError } from '@cairn/mfs';
import { catNode, readNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendBytes } from '../write.ts';
import { Files } from './files.ts';

const options = {
  offset: { kind: 'integer', default: 0, min: 0, max: Number.MAX_SAFE_INTEGER },
  count: { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** `files/read`: the bytes of a file, or a part of them. */
@Injectable()
export class FilesReadCommand implements Command<typeof options> {
  readonly name = 'files/read';
  readonly scope = 'read';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, response, signal } = context;
    const { offset, count } = context.options;
    const path = argument(args, 0, 'path');
    const tree = await this.files.tree(principal, signal);
    const { cid } = await this.files.locate(tree, path, signal);
    const node = await readNode(tree.blocks, cid, { signal });
    if (node.type !== 'file' && node.type !== 'raw') throw new NotAFilePathError(path);
    if (offset > node.fileSize) throw new ApiError(400, `offset was past end of file (${offset} > ${node.fileSize})`);
    const length = Math.min(count ?? node.fileSize, node.fileSize - offset);
    await sendBytes(response, catNode(tree.blocks, node, { offset, length, signal }), length, signal);
  }
}
