import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { Inject, Injectable, Module } from '@nestjs/common';
import { type CatOptions, catFile } from '../cat-file.ts';
import { type ImportOptions, type ImportResult, importFile } from '../import-file.ts';
import { resolvePath } from '../resolve-path.ts';

/** Files of the application's block store. */
@Injectable()
export class Unixfs {
  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  importFile(source: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<ImportResult> {
    return importFile(source, this.store, options);
  }

  catFile(cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return catFile(this.store, cid, options);
  }

  resolvePath(path: string, options?: ReadOptions): Promise<CID> {
    return resolvePath(this.store, path, options);
  }
}

/** Provides {@link Unixfs} over the store of `BlockstoreModule`. */
@Module({ providers: [Unixfs], exports: [Unixfs] })
export class UnixfsModule {}
