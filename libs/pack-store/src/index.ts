export type { BlockLocation, OnPack, PackEntry, PackReader, PackWriter, StoredPack } from './types.ts';
