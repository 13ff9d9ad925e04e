export { type BlockCache, type BlockCacheOptions, type BlockCacheStats, openBlockCache } from './cache/block-cache.ts';
export { withBlockCache } from './cache/with-block-cache.ts';
export { PackError, type PackErrorCode } from './errors.ts';
export { packLimits } from './limits.ts';
export { readPackEntries } from './pack/read-pack-entries.ts';
export { createPackReader } from './read/pack-reader.ts';
export type { BlockLocation, OnPack, PackEntry, PackReader, PackWriter, StoredPack } from './types.ts';
export { createPackWriter, type PackWriterOptions } from './write/pack-writer.ts';
