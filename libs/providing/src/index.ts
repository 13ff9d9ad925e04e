export { type AnnounceOutcome, announceNow } from './announce-now.ts';
export type { Clock } from './clock.ts';
export { combineAnnouncers } from './combine-announcers.ts';
export type { AnnounceRecord, AnnounceRegion, Announcer, ContentRouter, RouterOptions } from './content-router.ts';
export { ProvidingError, type ProvidingErrorCode } from './errors.ts';
export { keyOf, type Region } from './keyspace.ts';
export { openLmdbProvideStore } from './lmdb-provide-store.ts';
export { localAnnouncer } from './local-announcer.ts';
export { ProvideSchedule, type ScheduleCounts, type ScheduleEvent, type ScheduleOptions } from './provide-schedule.ts';
export {
  type PinnedRoots,
  type ProvideSource,
  pinnedRoots,
  type StoredBlocks,
  storedBlocks,
} from './provide-source.ts';
export type { ProvideCounts, ProvideRecord, ProvideStore, Settlement } from './provide-store.ts';
export type { Reconciliation } from './reconcile.ts';
