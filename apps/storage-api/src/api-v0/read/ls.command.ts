import { type Blockstore, compareByBytes, Slices, sortInSlices } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, codecs } from '@cairn/cid';
import { resolveToBlock } from '@cairn/dag';
import { linksOf } from '@cairn/pinning';
import { listDirectory, type PbLink, readNode, statNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { goFileMode, goTime } from '../go-metadata.ts';
import { resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, jsonListPieces, sendJsonPieces, writeLine } from '../write.ts';

const options = {
  'resolve-type': { kind: 'boolean', default: true },
  size: { kind: 'boolean', default: true },
  stream: { kind: 'boolean', alias: 's', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** Numbers of the UnixFS types in the response. */
const types = { directory: 1, file: 2, symlink: 4 } as const;
/** Entries of a response without `stream`, which is held in memory. */
const entriesMax = 250_000;

interface LsEntry {
  readonly Name: string;
  readonly Hash: string;
  readonly Size: number;
  readonly Type: number;
  readonly Target: string;
  readonly Mode: number;
  readonly ModTime: string;
}

/** `ls`: lists the entries of plain and sharded directories; for files and other codecs, the links of the block. */
@Injectable()
export class LsCommand implements Command<typeof options> {
  readonly name = 'ls';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const objects: { readonly Hash: string; readonly links: readonly LsEntry[] }[] = [];
    const slices = Slices.of(signal);
    let count = 0;
    for (const Hash of args) {
      const cid = await resolveToBlock(this.store, Hash, resolveOptionsOf(signal));
      const Links: LsEntry[] = [];
      for await (const link of this.#linksOf(cid, slices, signal)) {
        await slices.step();
        const entry = await this.#describe(link, chosen, signal);
        if (chosen.stream) await writeLine(response, { Objects: [{ Hash, Links: [entry] }] }, signal);
        else if (++count <= entriesMax) Links.push(entry);
        else throw new ApiError(400, `there are more than ${entriesMax} entries; ask with stream=true`);
      }
      // Entries are sorted by the bytes of their names: a sharded directory stores them in another order, and links of
      // a file have no names.
      objects.push({ Hash, links: await sortInSlices(Links, (a, b) => compareByBytes(a.Name, b.Name), slices) });
    }
    if (chosen.stream) endLines(response);
    else await sendJsonPieces(response, piecesOf(objects), signal);
  }

  async *#linksOf(cid: CID, slices: Slices, signal: AbortSignal): AsyncGenerator<PbLink> {
    if (cid.code === codecs['dag-cbor'] || cid.code === codecs['dag-json']) {
      for (const link of await linksOf(cid, await this.store.get(cid, { signal }), slices))
        yield { name: '', cid: link, tsize: 0 };
      return;
    }
    const node = await readNode(this.store, cid, { signal });
    const isDirectory = node.type === 'directory' || node.type === 'hamt-sharded-directory';
    yield* isDirectory ? listDirectory(this.store, node, { signal }) : node.links;
  }

  async #describe(
    { name, cid, tsize }: PbLink,
    chosen: CommandContext<typeof options>['options'],
    signal: AbortSignal,
  ): Promise<LsEntry> {
    const isRaw = cid.code === codecs.raw;
    const entry = {
      Name: name,
      Hash: printCid(cid, chosen['cid-base']),
      Size: isRaw ? tsize : 0,
      Type: isRaw ? types.file : 0,
      Target: '',
      Mode: 0,
      ModTime: goTime(undefined),
    };
    // One of the two options makes Kubo read the entry and print everything that it finds.
    if (cid.code !== codecs['dag-pb'] || !(chosen['resolve-type'] || chosen.size)) return entry;
    const { type, fileSize, target = '', mode, mtime } = await statNode(this.store, cid, { signal });
    const metadata = { Mode: goFileMode({ type, mode }), ModTime: goTime(mtime) };
    return { ...entry, Size: fileSize, Type: types[type], Target: target, ...metadata };
  }
}

function* piecesOf(objects: readonly { readonly Hash: string; readonly links: readonly LsEntry[] }[]) {
  let separator = '{"Objects":[';
  for (const { Hash, links } of objects) {
    yield `${separator}{"Hash":${JSON.stringify(Hash)},"Links":`;
    yield* jsonListPieces(links);
    yield '}';
    separator = ',';
  }
  yield ']}';
}
