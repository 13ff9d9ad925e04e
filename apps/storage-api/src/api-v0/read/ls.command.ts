import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { codecs } from '@cairn/cid';
import { listDirectory, type PbLink, readNode, statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printMetadata } from '../metadata-options.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, sendJson, writeLine } from '../write.ts';

const options = {
  'resolve-type': { kind: 'boolean', default: true },
  size: { kind: 'boolean', default: true },
  stream: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** Numbers of the UnixFS types in the answer. */
const types = { directory: 1, file: 2, symlink: 4 } as const;
/** Without `stream` the whole answer is held in memory. */
const entriesMax = 250_000;

/** `ls`: the entries of directories, plain and sharded; of a file, the links of its root block. */
@Injectable()
export class LsCommand implements Command<typeof options> {
  readonly name = 'ls';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const cids = await resolveAll(this.store, args, signal);
    const objects: unknown[] = [];
    let count = 0;
    for (const [index, cid] of cids.entries()) {
      const Hash = args[index] ?? '';
      const node = await readNode(this.store, cid, { signal });
      const isDirectory = node.type === 'directory' || node.type === 'hamt-sharded-directory';
      // A file has no entries to tell its mode and time of.
      const object = { Hash, Links: [] as unknown[], ...(!isDirectory && printMetadata(node)) };
      objects.push(object);
      for await (const link of isDirectory ? listDirectory(this.store, node, { signal }) : node.links) {
        const entry = await this.#describe(link, chosen, signal);
        if (chosen.stream) await writeLine(response, { Objects: [{ Hash, Links: [entry] }] }, signal);
        else if (++count <= entriesMax) object.Links.push(entry);
        else throw new ApiError(400, `there are more than ${entriesMax} entries; ask with stream=true`);
      }
    }
    if (chosen.stream) endLines(response);
    else sendJson(response, { Objects: objects });
  }

  async #describe(
    { name, cid, tsize }: PbLink,
    chosen: CommandContext<typeof options>['options'],
    signal: AbortSignal,
  ) {
    const entry = { Name: name, Hash: printCid(cid, chosen['cid-base']), Size: tsize, Type: 0, Target: '' };
    if (!chosen['resolve-type'] && !chosen.size) return entry;
    if (cid.code === codecs.raw) return { ...entry, Type: types.file };
    if (cid.code !== codecs['dag-pb']) return entry;
    const { type, fileSize, target, mode, mtime } = await statNode(this.store, cid, { signal });
    return {
      ...entry,
      Size: chosen.size ? fileSize : tsize,
      Type: types[type],
      Target: target ?? '',
      ...printMetadata({ mode, mtime }),
    };
  }
}
