import { NotAFilePathError, parseTreePath } from '@cairn/mfs';
import { catNode, readNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { prefetchOf } from '../../network/network.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendFile } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';
import { withErrorPrefix } from './with-error-prefix.ts';

const most = Number.MAX_SAFE_INTEGER;
const options = {
  ...flushOption,
  offset: { kind: 'integer', type: 'int64', alias: 'o', default: 0, min: -most, max: most },
  count: { kind: 'integer', type: 'int64', alias: 'n', min: -most, max: most },
} as const;

/** `files/read`: returns the bytes of a file, or a range of them. */
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
    const path = parseTreePath(argument(args, 0, 'path'));
    if (offset < 0) throw new ApiError(400, 'cannot specify negative offset');
    if (count !== undefined && count < 0) throw new ApiError(400, "cannot specify negative 'count'");
    const tree = await this.files.tree(principal, signal);
    const cid = await withErrorPrefix(path.text, () => tree.lookup(path));
    const node = await readNode(tree.blocks, cid, { signal });
    if (node.type === 'symlink') throw new ApiError(500, 'symlinks not yet supported');
    if (node.type !== 'file' && node.type !== 'raw') throw new NotAFilePathError(path.text);
    if (offset > node.fileSize) throw new ApiError(500, `offset was past end of file (${offset} > ${node.fileSize})`);
    const length = Math.min(count ?? node.fileSize, node.fileSize - offset);
    // Kubo announces no length here.
    await sendFile(
      response,
      (buffers) => catNode(tree.blocks, node, { offset, length, signal, buffers, onAhead: prefetchOf(signal) }),
      undefined,
      signal,
    );
  }
}
