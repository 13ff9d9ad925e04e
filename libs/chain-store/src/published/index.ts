export { newestSnapshot, type PublishedSnapshot } from './newest-snapshot.ts';
export { type PublishOptions, publishSnapshot } from './publish-snapshot.ts';
export { type RestorePublishedOptions, restorePublished } from './restore-published.ts';
export { type SnapshotSigner, snapshotSigner } from './snapshot-keys.ts';
