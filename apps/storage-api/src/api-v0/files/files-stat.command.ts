import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { parseTreePath } from '@cairn/mfs';
import { statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printStat } from '../go-metadata.ts';
import { argument } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';
import { localSize } from './local-size.ts';

const options = {
  ...flushOption,
  'with-local': { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
  // Clients format the response themselves; Kubo only refuses several of these options together.
  format: { kind: 'text' },
  hash: { kind: 'boolean', default: false },
  size: { kind: 'boolean', default: false },
} as const;

/** Format that Kubo sets where a request has none. */
const defaultFormat =
  '<hash>\nSize: <size>\nCumulativeSize: <cumulsize>\nChildBlocks: <childs>\nType: <type>\nMode: <mode> (<mode-octal>)\nMtime: <mtime>';

/** `files/stat`: describes the node at a path. */
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
    const { format = defaultFormat, hash, size } = chosen;
    if ([hash, size, format !== defaultFormat].filter(Boolean).length > 1)
      throw new ApiError(
        400,
        'invalid parameters: format was set by multiple options. Only one format option is allowed',
      );
    const path = parseTreePath(argument(args, 0, 'path'));
    const tree = await this.files.tree(principal, signal);
    const { cid } = await this.files.locate(tree, path, signal);
    const { type, fileSize, dagSize, blocks, mode, mtime } = await statNode(tree.blocks, cid, { signal });
    sendJson(response, {
      Hash: printCid(cid, chosen['cid-base']),
      Size: fileSize,
      CumulativeSize: dagSize,
      Blocks: blocks,
      Type: type === 'directory' ? 'directory' : 'file',
      ...(chosen['with-local'] && (await this.#local(cid, signal))),
      ...printStat({ type, mode, mtime }),
    });
  }

  async #local(cid: Parameters<typeof localSize>[1], signal: AbortSignal) {
    const { isWhole, bytes } = await localSize(this.store, cid, signal);
    return { WithLocality: true, ...(isWhole && { Local: true }), ...(bytes > 0 && { SizeLocal: bytes }) };
  }
}
