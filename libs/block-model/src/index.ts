export { keccak256 } from '@cairn/cid';
export { DecodeError, decodeRlp, encodeRlp, type RlpItem, rlpLimits } from '@cairn/rlp';
export { recoverPublicKey } from '#recover-public-key';
export {
  type Block,
  type BodyProof,
  decodeBlock,
  decodeBlockHeader,
  encodeBlock,
  encodeBody,
  joinBlock,
  transactionsRoot,
  unclesHash,
  verifyBlock,
  type Withdrawal,
  withdrawalsRoot,
} from './block.ts';
export { BytesLog } from './bytes-log.ts';
export {
  type ChainSpec,
  type GenesisAccount,
  type GenesisParameters,
  type KnownChain,
  knownChainSpec,
  knownChains,
  parseGethGenesis,
  terminalTotalDifficulty,
} from './chain-spec.ts';
export { type ContentCids, contentCids } from './content-cids.ts';
export { CorruptBlockError, InvalidValueError } from './errors.ts';
export { type BaseFeeHeader, type BlobRules, nextBaseFee, nextExcessBlobGas } from './fees.ts';
export {
  type BlobSchedule,
  type ChainPlace,
  type ForkName,
  type ForkSchedule,
  forkAt,
  forkSchedule,
  forksIncluded,
  isPostMerge,
  type ScheduledFork,
} from './fork-schedule.ts';
export { blockFromJson, transactionFromJson } from './from-json.ts';
export { givenBlockFromJson, hasUnknownType, proofOfReceipts } from './given-block.ts';
export { decodeHeader, type Header, headerFromJson, headerFromRlp, makeHeader } from './header.ts';
export {
  bigintFromBytes,
  bytesFromBigint,
  bytesFromHex,
  type Hex,
  hexFromBytes,
  quantity,
} from './hex.ts';
export {
  type BlockJsonOptions,
  blockToJson,
  effectiveGasPrice,
  headerToJson,
  type Json,
  type TransactionPlace,
  transactionToJson,
} from './json.ts';
export type { Log } from './log.ts';
export { type BloomQuery, bloomQueryOf, createBloomTest, isMatch, type LogQuery } from './log-match.ts';
export { type Deposit, depositType } from './op-stack/deposit.ts';
export { opChainSpec } from './op-stack/op-chains.ts';
export { isOpForkActive, type OpFork } from './op-stack/op-forks.ts';
export {
  cannotUnmarshal,
  dataFault,
  type GoStruct,
  jsonKind,
  numberFault,
  parseAddress,
  parseData,
  parseHash,
  parseMember,
  parseQuantity,
  parseUint64,
  parseWithReason,
} from './parse-value.ts';
export {
  type BlobSidecar,
  blobHashOf,
  cellProofsPerBlob,
  decodePooledTransaction,
  encodePooledTransaction,
  type PooledTransaction,
} from './pooled-transaction.ts';
export type {
  AccountChange,
  AccountProof,
  AccountState,
  BlockOutcome,
  BlockRun,
  BlockRunner,
  BlockTag,
  ChainReader,
  LogCondition,
  LogField,
  StateReader,
  StateRoots,
  StorageRange,
} from './readers.ts';
export {
  decodeReceipt,
  encodeReceipt,
  logsBloomOf,
  type Receipt,
  receiptsRoot,
  verifyReceipts,
} from './receipt.ts';
export { givenReceiptFromJson, receiptFromJson } from './receipt-from-json.ts';
export { type ReceiptPlace, receiptToJson } from './receipt-json.ts';
export { senderOf, signingHash, type UnsignedFields, unsignedTransaction, yParityOf } from './sender.ts';
export {
  encodeStateAccount,
  type StateTrie,
  stateRootsOver,
  type WitnessScope,
  witnessNodes,
  writeSlots,
} from './state-trie.ts';
export {
  type AccessListEntry,
  type Authorization,
  decodeTransaction,
  encodeTransaction,
  type Transaction,
} from './transaction.ts';
