export { createIpnsRecord, type RecordOptions } from './create-record.ts';
export { DnslinkResolver, type DnslinkResolverOptions } from './dnslink-resolver.ts';
export {
  InvalidKeyError,
  InvalidRecordError,
  KeyLabelExistsError,
  KeyLabelUnknownError,
  NamesFullError,
  NameUnresolvedError,
  SequenceTooLowError,
} from './errors.ts';
export {
  cidOf,
  ipnsNameText,
  libp2pKeyCode,
  nameOfRoutingKey,
  parseIpnsName,
  peerIdText,
  routingKeyOf,
} from './ipns-name.ts';
export {
  type DecodedRecord,
  decodeIpnsRecord,
  type IpnsRecord,
  verifyDecodedRecord,
  verifyIpnsRecord,
} from './ipns-record.ts';
export { limits as ipnsLimits } from './limits.ts';
export { NameRepublisher, type NameRepublisherOptions } from './name-republisher.ts';
export { parseNsMap } from './ns-map.ts';
export { decodeIpnsKey, decodePemKey, encodeIpnsKey, generateIpnsKey, type IpnsKey, signWith } from './private-key.ts';
export { type KeyType, nameOfPublicKey, publicKeyOfName, verifySignature } from './public-key.ts';
export { type PublishOptions, publishName } from './publish-name.ts';
export { type FindOptions, RecordSource, type RecordSourceOptions } from './record-source.ts';
export {
  type DnsLink,
  type NameSources,
  type ResolvedName,
  type ResolveNameOptions,
  resolveName,
  resolveNamePath,
} from './resolve-name.ts';
export { ipnsSelector, ipnsValidator } from './routing-rules.ts';
export { compareRecords, selectIpnsRecord } from './select-record.ts';
export type { AnswerChannel } from './shared-answers.ts';
export type {
  NameKeys,
  NameRecords,
  NameStore,
  PutOptions,
  PutOutcome,
  RecordCounts,
  RecordOwner,
  StoredKey,
  StoredRecord,
} from './store/name-store.ts';
export { namesFormat } from './store/names-format.ts';
export { openLmdbNameStore } from './store/open-lmdb-name-store.ts';
export { keyPlace, openKey, type Seals, sealKey } from './store/seal.ts';
