import type { CID } from '@cairn/cid';
import { cidOfMultihash } from '../index/multihash.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';

const packsPerPage = 256;
const rowsPerRead = 512;
/** Bytes of the blocks of one list. A single block may be longer. */
const listBytes = 4 * 1024 * 1024;

/** Lists live blocks pack by pack, in the order of their bytes. Quarantined blocks are left out. */
export async function* liveKeys(
  { index: { packs } }: Pick<MaintenanceParts, 'index'>,
  { signal }: MaintenanceOptions = {},
): AsyncGenerator<readonly CID[]> {
  for (let afterPack = 0; ; ) {
    const page = await packs.livePage(afterPack, packsPerPage);
    for (const { id } of page)
      for (let after = -1; ; ) {
        signal?.throwIfAborted();
        const rows = await packs.liveBlocks(id, after, rowsPerRead);
        yield* listsOf(rows);
        const last = rows.at(-1);
        if (last === undefined || rows.length < rowsPerRead) break;
        after = last.start;
      }
    const last = page.at(-1);
    if (last === undefined || page.length < packsPerPage) return;
    afterPack = last.id;
  }
}

/** Divides rows into lists of a bounded number of bytes. */
function* listsOf(
  rows: readonly { readonly multihash: Uint8Array; readonly length: number }[],
): Generator<readonly CID[]> {
  let [list, bytes]: [CID[], number] = [[], 0];
  for (const { multihash, length } of rows) {
    if (list.length > 0 && bytes + length > listBytes) {
      yield list;
      [list, bytes] = [[], 0];
    }
    list.push(cidOfMultihash(multihash));
    bytes += length;
  }
  if (list.length > 0) yield list;
}
