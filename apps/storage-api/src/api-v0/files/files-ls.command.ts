import { Slices } from '@cairn/blockstore';
import { type FileTree, parseTreePath, splitPath, type TreePath } from '@cairn/mfs';
import { listDirectory, readNode, statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { endLines, jsonListPieces, sendJson, sendJsonPieces, writeLine } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = {
  ...flushOption,
  long: { kind: 'boolean', alias: 'l', default: false },
  // Not an option of Kubo: JavaScript clients send it, and long directories need it.
  stream: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** Numbers of the types in the response. */
const types = { file: 0, symlink: 0, directory: 1 } as const;
/** Entries of a response without `stream`, which is held in memory. */
const entriesMax = 250_000;
const entriesPerLine = 256;

/** `files/ls`: lists the entries of a directory; for a file, the file itself. */
@Injectable()
export class FilesLsCommand implements Command<typeof options> {
  readonly name = 'files/ls';
  readonly scope = 'read';
  readonly args = { name: 'path', min: 0, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const tree = await this.files.tree(principal, signal);
    const entries = this.#entries(tree, parseTreePath(args[0] ?? '/'), chosen);
    let waiting: unknown[] = [];
    const slices = Slices.of(signal);
    for await (const entry of entries) {
      await slices.step();
      waiting.push(entry);
      if (chosen.stream && waiting.length === entriesPerLine) {
        await writeLine(response, { Entries: waiting }, signal);
        waiting = [];
      }
      if (waiting.length > entriesMax)
        throw new ApiError(400, `there are more than ${entriesMax} entries; ask with stream=true`);
    }
    if (response.headersSent) {
      if (waiting.length > 0) await writeLine(response, { Entries: waiting }, signal);
      endLines(response);
    } else if (waiting.length === 0) sendJson(response, { Entries: null });
    else await sendJsonPieces(response, entriesPieces(waiting), signal);
  }

  async *#entries(
    tree: FileTree,
    path: TreePath,
    { long, 'cid-base': base }: CommandContext<typeof options>['options'],
  ): AsyncGenerator<unknown> {
    const cid = await tree.lookup(path);
    const node = await readNode(tree.blocks, cid, tree.read);
    const isDirectory = node.type === 'directory' || node.type === 'hamt-sharded-directory';
    const links = isDirectory ? listDirectory(tree.blocks, node, tree.read) : [{ name: splitPath(path).name, cid }];
    for await (const link of links) {
      if (!long) yield { Name: link.name, Type: 0, Size: 0, Hash: '' };
      else {
        const { type, fileSize } = await statNode(tree.blocks, link.cid, tree.read);
        // Kubo ignores cid-base for the entries of a directory.
        const Hash = isDirectory ? link.cid.toString() : printCid(link.cid, base);
        yield { Name: link.name, Type: types[type], Size: fileSize, Hash };
      }
    }
  }
}

function* entriesPieces(entries: readonly unknown[]): Generator<string> {
  yield '{"Entries":';
  yield* jsonListPieces(entries);
  yield '}';
}
