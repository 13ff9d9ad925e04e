// No file below imports a module of Node, so that browsers can load this entry.

export type { VerifiedChain } from './chain/chain-of.ts';
export { VerifyError, type VerifyErrorCode } from './errors.ts';
export { verifyLimits } from './limits.ts';
export { type VerifiedAccount, verifyAccount } from './verify-account.ts';
export { type VerifyBlockOptions, verifyBlock, verifyHeader, verifyReceipts } from './verify-block.ts';
export { type VerifiedCall, type VerifyCallOptions, verifyCall } from './verify-call.ts';
export { type InclusionProof, proveItems, verifyReceipt, verifyTransaction } from './verify-inclusion.ts';
export { type VerifiedLog, type VerifyLogsOptions, verifyLogs } from './verify-logs.ts';
export { type CallMessage, type CallMessageJson, parseCallMessage } from './witness/call-message.ts';
export { type CallWitness, decodeCallWitness, encodeCallWitness } from './witness/call-witness.ts';
export type { WitnessBytes } from './witness/envelope.ts';
export {
  type BlockLogs,
  createLogProver,
  decodeLogWitness,
  encodeLogWitness,
  type LogWitness,
} from './witness/log-witness.ts';
export type { ProvenAccount } from './witness/witness-state.ts';
