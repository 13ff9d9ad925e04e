import { cidFor, codecs } from '@cairn/cid';
import { Environment } from '@cairn/embedded-store';
import { BlockTables } from './block-tables.ts';
import { blocksFormat } from './blocks-format.ts';
import { limits } from './limits.ts';

export interface RebuiltIndex {
  /** Blocks without an index record, which were indexed under their SHA-256. */
  readonly indexed: number;
  /** Index records without bytes, which were removed. */
  readonly removed: number;
}

const recordsPerWrite = 256;

/**
 * Rebuilds the index of a store from its blocks and recomputes the sums. A block without a record is indexed under its SHA-256 and
 * counts as shared, so that no account can discard it alone. No other process may have the store open.
 * @throws STORE_CORRUPT, STORE_FULL
 */
export async function rebuildIndex({ directory }: { readonly directory: string }): Promise<RebuiltIndex> {
  const environment = await Environment.open({ directory, format: blocksFormat });
  try {
    const tables = new BlockTables(environment, Date.now);
    const known = new Set<bigint>();
    const lost: Uint8Array[] = [];
    for (const { key, id } of tables.ids()) {
      if (tables.hasBytes(id)) known.add(Buffer.from(id).readBigUInt64BE());
      else lost.push(key);
    }
    for (let at = 0; at < lost.length; at += recordsPerWrite)
      await environment.transaction(() => tables.forget(lost.slice(at, at + recordsPerWrite)));
    let indexed = 0;
    for (const id of tables.blockIds()) {
      if (known.has(Buffer.from(id).readBigUInt64BE())) continue;
      const bytes = tables.bytes({ id });
      if (bytes === undefined || bytes.length > limits.blockBytesMax) continue;
      const { multihash } = cidFor(bytes, { codec: codecs.raw });
      if (await environment.transaction(() => tables.adopt(multihash.bytes, id, bytes.length))) indexed++;
    }
    await environment.transaction(() => tables.recount());
    return { indexed, removed: lost.length };
  } finally {
    await environment.close();
  }
}
