import { type Block, type BoundedBlockstore, withVerification } from '@cairn/blockstore';
import { CID, codecs } from '@cairn/cid';
import { inBatches } from '@cairn/embedded-store';
import type { PackStore } from '@cairn/pack-store';
import { isLeaf, ownerOf } from '@cairn/pinning';
import type { Stores } from '@cairn/stores';
import { withBoth } from './compare.ts';
import type { MigrationParts, MigrationStep } from './migration-step.ts';

/** Blocks of one lookup in the index. */
const batchBlocks = 512;
/** Blocks that are read concurrently, each of at most a few MiB. */
const concurrentReads = 8;

/** Blocks of a home, or those of a bucket in the order of its packs. */
type BlockSource = BoundedBlockstore & Partial<Pick<PackStore, 'getMany' | 'sizeMany' | 'maintenance'>>;

/** Opens the blocks of both sides. */
function withBlocks<T>(
  { from, to }: MigrationParts,
  work: (source: BlockSource, target: BoundedBlockstore) => Promise<T>,
): Promise<T> {
  return withBoth<BlockSource, T>([() => blocksOf(from), () => blocksOf(to)], work);
}

async function blocksOf(stores: Stores): Promise<BlockSource> {
  return (await stores.packs()) ?? (await stores.blocks());
}

/** Lists the intact blocks of a source. Lists of a bucket have neighbours, so that each is read with few requests. */
async function* intactLists(source: BlockSource): AsyncGenerator<readonly CID[]> {
  if (source.maintenance !== undefined) return yield* source.maintenance.liveKeys();
  const isIntact = await intactBlocks(source);
  for await (const cids of inBatches(source.keys(), batchBlocks)) yield cids.filter(isIntact);
}

/**
 * Blocks and claims. Each block is verified against its CID on both sides of the copy. A repeated copy asks the index and writes
 * only what is missing. Quarantined blocks stay behind. The blocks belong to all accounts: a collection decides about garbage.
 */
export const blocksStep: MigrationStep = {
  name: 'blocks',
  copy: (parts) =>
    withBlocks(parts, async (source, target) => {
      const counts = { blocks: 0, written: 0, bytes: 0, claims: 0, quarantined: 0 };
      for await (const _ of source.quarantined()) counts.quarantined++;
      for await (const cids of intactLists(source)) {
        const missing = await target.touchMany(cids);
        counts.bytes += await write(missing, source, target);
        counts.blocks += cids.length;
        counts.written += missing.length;
      }
      // Claims refer to stored blocks.
      await target.sync();
      for (const account of parts.accountIds) counts.claims += await copyClaims(ownerOf(account), source, target);
      return counts;
    }),
  compare: (parts) =>
    withBlocks(parts, async (source, target) => {
      const isIntact = await intactBlocks(source);
      const [one, problems] = [{ blocks: 0, bytes: 0 }, [] as string[]];
      let missing = 0;
      for await (const cids of intactLists(source)) {
        for (const size of await sizesOf(source, cids)) one.bytes += size;
        one.blocks += cids.length;
        missing += (await target.touchMany(cids)).length;
      }
      if (missing > 0) problems.push(`blocks: ${missing} of the source are not in the copy`);
      const other = await target.stats();
      if (one.blocks !== other.blocks || one.bytes !== other.bytes)
        problems.push(`blocks: ${JSON.stringify(one)} in the source, ${JSON.stringify(other)} in the copy`);
      for (const account of parts.accountIds) {
        const [kept, found] = [{ blocks: 0, bytes: 0 }, await target.claimed(ownerOf(account))];
        for await (const { cid, bytes, isCounted } of source.claims(ownerOf(account))) {
          if (!isCounted || !isIntact(cid)) continue;
          kept.blocks++;
          kept.bytes += bytes;
        }
        if (kept.blocks !== found.blocks || kept.bytes !== found.bytes)
          problems.push(
            `unpinned blocks of ${account}: ${JSON.stringify(kept)} in the source, ${JSON.stringify(found)} in the copy`,
          );
      }
      return problems;
    }),
};

/** Returns a test for blocks that are not quarantined. Few are: each was reported as corrupt. */
async function intactBlocks(source: BoundedBlockstore): Promise<(cid: CID) => boolean> {
  const quarantined = new Set<string>();
  for await (const cid of source.quarantined()) quarantined.add(cid.toString());
  return (cid) => quarantined.size === 0 || !quarantined.has(cid.toString());
}

/** Returns the lengths of stored blocks. */
async function sizesOf(source: BlockSource, cids: readonly CID[]): Promise<readonly number[]> {
  const sizes = await source.sizeMany?.(cids);
  return await Promise.all(cids.map(async (cid, at) => sizes?.[at] ?? (await source.size(cid))));
}

/** Writes blocks. Returns their bytes. @throws BLOCK_CORRUPT; `cairn verify` then quarantines the block */
async function write(cids: readonly CID[], source: BlockSource, target: BoundedBlockstore): Promise<number> {
  const [verified, checked] = [withVerification(source), withVerification(target)];
  let written = 0;
  const isBucket = source.maintenance !== undefined;
  // A list of a bucket is bounded by its bytes.
  const step = isBucket ? batchBlocks : concurrentReads;
  for (let at = 0; at < cids.length; at += step) {
    const some = cids.slice(at, at + step);
    const found = isBucket ? await source.getMany?.(some) : undefined;
    const blocks = await Promise.all(
      some.map(async (cid, index) => ({ cid, bytes: found?.[index] ?? (await verified.get(cid)) })),
    );
    await checked.putMany(blocks.map(asLeaf), { isLeaf: () => true });
    for (const { bytes } of blocks) written += bytes.length;
  }
  return written;
}

/**
 * Returns a block under dag-pb if it is a node without links, and under raw otherwise. Lists of a source have no codecs, and a
 * store marks blocks without links by their codec.
 */
function asLeaf({ cid, bytes }: Block): Block {
  const node = CID.createV1(codecs['dag-pb'], cid.multihash);
  return { cid: isLeaf(node, bytes) ? node : cid, bytes };
}

async function copyClaims(owner: number, source: BlockSource, target: BoundedBlockstore): Promise<number> {
  let copied = 0;
  for await (const claims of inBatches(source.claims(owner), batchBlocks))
    for (const isCounted of [true, false]) {
      const cids = claims.filter((claim) => claim.isCounted === isCounted).map(({ cid }) => cid);
      if (cids.length > 0) await target.claimMany(cids, owner, { isLeftover: !isCounted });
      copied += cids.length;
    }
  return copied;
}
