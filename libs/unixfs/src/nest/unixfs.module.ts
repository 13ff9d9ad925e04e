import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import type { ByteSource } from '@cairn/platform';
import { Inject, Injectable, Module } from '@nestjs/common';
import { type CatOptions, catFile } from '../cat-file.ts';
import type { PbLink } from '../dag-pb.ts';
import { addLink, type EditOptions, removeLink } from '../edit-directory.ts';
import { type ImportOptions, type ImportResult, importFile } from '../import-file.ts';
import { type ImportedEntry, importTree, type TreeEntry, type TreeOptions } from '../import-tree.ts';
import { listDirectory } from '../list-directory.ts';
import { resolvePath } from '../resolve-path.ts';
import { type NodeStat, statNode } from '../stat-node.ts';

/** UnixFS operations on the block store of the application. */
@Injectable()
export class Unixfs {
  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  importFile(source: ByteSource, options?: ImportOptions): Promise<ImportResult> {
    return importFile(source, this.store, options);
  }

  importTree(
    entries: AsyncIterable<TreeEntry> | Iterable<TreeEntry>,
    options?: TreeOptions,
  ): AsyncIterable<ImportedEntry> {
    return importTree(entries, this.store, options);
  }

  catFile(cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return catFile(this.store, cid, options);
  }

  listDirectory(cid: CID, options?: ReadOptions): AsyncIterable<PbLink> {
    return listDirectory(this.store, cid, options);
  }

  statNode(cid: CID, options?: ReadOptions): Promise<NodeStat> {
    return statNode(this.store, cid, options);
  }

  resolvePath(path: string, options?: ReadOptions): Promise<CID> {
    return resolvePath(this.store, path, options);
  }

  addLink(directory: CID, entry: PbLink, options?: EditOptions): Promise<ImportResult> {
    return addLink(this.store, directory, entry, options);
  }

  removeLink(directory: CID, name: string, options?: EditOptions): Promise<ImportResult> {
    return removeLink(this.store, directory, name, options);
  }
}

/** Provides {@link Unixfs} over the store of `BlockstoreModule`. */
@Module({ providers: [Unixfs], exports: [Unixfs] })
export class UnixfsModule {}
