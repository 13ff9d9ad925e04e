export { CidList, cidKey } from './cid-list.ts';
export type { AccountCollectionReport, CollectionReport, CollectionState } from './collection-report.ts';
export { Collector } from './collector.ts';
export type {
  AccountCollectOptions,
  CollectOptions,
  CollectorOptions,
  StoreCollectOptions,
} from './collector-options.ts';
export type { DiscardOutcome } from './discard.ts';
export {
  CollectionBusyError,
  DagTooLargeError,
  PinModeError,
  PinNotFoundError,
  PinRequestNotFoundError,
  PinRequestsFullError,
  QuotaExceededError,
  UndecodableBlockError,
  UnsupportedCodecError,
  WebhookNotFoundError,
  WebhookUrlError,
} from './errors.ts';
export { type FetchDagOptions, fetchDag } from './fetch-dag.ts';
export { FetchQuota } from './fetch-quota.ts';
export { isLeaf, linksOf } from './links.ts';
export { openLmdbPinStore } from './lmdb-pin-store.ts';
export { ownerOf } from './owner.ts';
export type {
  CollectionLock,
  Pin,
  PinConditions,
  PinMode,
  PinStore,
  Quota,
  ReleasedRoot,
  Root,
  Usage,
} from './pin-store.ts';
export { type IndirectPin, Pinning, type PinningOptions, type PinStatus } from './pinning.ts';
export { pinsFormat } from './pins-format.ts';
export type { ContentSource, FetchOptions } from './requests/content-source.ts';
export { type CopiedPinRequests, copyPinRequestsToLmdb } from './requests/copy-pin-requests-to-lmdb.ts';
export type { DueRange } from './requests/due-range.ts';
export { openLmdbPinRequestStore } from './requests/lmdb-pin-request-store.ts';
export { PinQueue, type PinQueueOptions, pinQueueLimits } from './requests/pin-queue.ts';
export {
  type NewPinRequest,
  type PinRequest,
  type PinRequestOutcome,
  type PinRequestStatus,
  pinRequestLimits,
  pinRequestStatuses,
} from './requests/pin-request.ts';
export type { PinRequestRange, PinRequestStore, ReleasedPin } from './requests/pin-request-store.ts';
export { type PinRequestedOptions, pinRequested } from './requests/pin-requested.ts';
export type { RootSource } from './root-source.ts';
export {
  openServedBlocks,
  type ServedBlocks,
  type ServedBlocksOptions,
  type ServedBlocksStatus,
  servedBlocksFormat,
} from './serving/served-blocks.ts';
export { rootsOfAccount, rootsOfAllPins, type ServedRoots } from './serving/served-roots.ts';
export { type DagSize, dagBlocksMax, type VisitedBlock, visitDag, type WalkOptions, walkDag } from './walk-dag.ts';
export {
  AccountWebhooks,
  type AccountWebhooksOptions,
  type NewWebhook,
  type WebhookDescription,
  type WebhookSeals,
} from './webhooks/account-webhooks.ts';
export { newWebhookSecret, type SignedMessage, signWebhook } from './webhooks/sign-webhook.ts';
export {
  type DeliveryResult,
  WebhookSender,
  type WebhookSenderOptions,
  webhookSenderLimits,
} from './webhooks/webhook-sender.ts';
export {
  type Webhook,
  type WebhookEvent,
  type WebhookNotice,
  type WebhookStore,
  webhookLimits,
} from './webhooks/webhook-store.ts';
export type { PinManyOptions, PinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';
