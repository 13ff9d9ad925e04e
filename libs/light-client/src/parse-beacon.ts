import { bytesFromHexDigits } from '@cairn/platform';
import { beaconAnswerInvalid } from './errors.ts';
import type {
  BeaconHeader,
  ExecutionHeader,
  LightClientBootstrap,
  LightClientHeader,
  LightClientUpdate,
  SyncAggregate,
  SyncCommittee,
} from './light-client-data.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a Merkle branch in light client data, in nodes. */
const branchMax = 16;

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw beaconAnswerInvalid(`${name} is not an object`);
}

function bytesOf(value: unknown, name: string, length: number): Uint8Array {
  if (typeof value === 'string' && value.length === 2 + length * 2 && /^0x[0-9a-f]*$/i.test(value))
    return bytesFromHexDigits(value.slice(2));
  throw beaconAnswerInvalid(`${name} is not 0x and ${length * 2} hex digits`);
}

function uintOf(value: unknown, name: string, bits: number): bigint {
  if (typeof value === 'string' && /^\d{1,78}$/.test(value)) {
    const number = BigInt(value);
    if (number < 1n << BigInt(bits)) return number;
  }
  throw beaconAnswerInvalid(`${name} is not a decimal number of ${bits} bits`);
}

/** A slot below 2^53, which lasts for all time. */
function slotOf(value: unknown, name: string): number {
  return Number(uintOf(value, name, 53));
}

function branchOf(value: unknown, name: string): readonly Uint8Array[] {
  if (!Array.isArray(value) || value.length > branchMax) throw beaconAnswerInvalid(`${name} is not a Merkle branch`);
  return value.map((node, i) => bytesOf(node, `${name}[${i}]`, 32));
}

function beaconHeaderOf(value: unknown, name: string): BeaconHeader {
  const fields = fieldsOf(value, name);
  return {
    slot: slotOf(fields.slot, `${name}.slot`),
    proposerIndex: uintOf(fields.proposer_index, `${name}.proposer_index`, 64),
    parentRoot: bytesOf(fields.parent_root, `${name}.parent_root`, 32),
    stateRoot: bytesOf(fields.state_root, `${name}.state_root`, 32),
    bodyRoot: bytesOf(fields.body_root, `${name}.body_root`, 32),
  };
}

function executionHeaderOf(value: unknown, name: string): ExecutionHeader {
  const fields = fieldsOf(value, name);
  const bytes = (key: string, length = 32) => bytesOf(fields[key], `${name}.${key}`, length);
  const uint = (key: string, bits = 64) => uintOf(fields[key], `${name}.${key}`, bits);
  const extraData = fields.extra_data;
  if (typeof extraData !== 'string' || extraData.length % 2 !== 0 || extraData.length > 66)
    throw beaconAnswerInvalid(`${name}.extra_data is not at most 32 bytes`);
  return {
    parentHash: bytes('parent_hash'),
    feeRecipient: bytes('fee_recipient', 20),
    stateRoot: bytes('state_root'),
    receiptsRoot: bytes('receipts_root'),
    logsBloom: bytes('logs_bloom', 256),
    prevRandao: bytes('prev_randao'),
    blockNumber: uint('block_number'),
    gasLimit: uint('gas_limit'),
    gasUsed: uint('gas_used'),
    timestamp: uint('timestamp'),
    extraData: bytes('extra_data', extraData.length / 2 - 1),
    baseFeePerGas: uint('base_fee_per_gas', 256),
    blockHash: bytes('block_hash'),
    transactionsRoot: bytes('transactions_root'),
    withdrawalsRoot: bytes('withdrawals_root'),
    blobGasUsed: fields.blob_gas_used === undefined ? undefined : uint('blob_gas_used'),
    excessBlobGas: fields.excess_blob_gas === undefined ? undefined : uint('excess_blob_gas'),
  };
}

export function parseHeader(value: unknown, name: string): LightClientHeader {
  const fields = fieldsOf(value, name);
  return {
    beacon: beaconHeaderOf(fields.beacon, `${name}.beacon`),
    execution: executionHeaderOf(fields.execution, `${name}.execution`),
    executionBranch: branchOf(fields.execution_branch, `${name}.execution_branch`),
  };
}

export function parseCommittee(value: unknown, name: string, size: number): SyncCommittee {
  const { pubkeys, aggregate_pubkey } = fieldsOf(value, name);
  if (!Array.isArray(pubkeys) || pubkeys.length !== size)
    throw beaconAnswerInvalid(`${name} does not have ${size} keys`);
  return {
    pubkeys: pubkeys.map((pubkey, i) => bytesOf(pubkey, `${name}.pubkeys[${i}]`, 48)),
    aggregatePubkey: bytesOf(aggregate_pubkey, `${name}.aggregate_pubkey`, 48),
  };
}

function aggregateOf(value: unknown, size: number): SyncAggregate {
  const fields = fieldsOf(value, 'sync_aggregate');
  return {
    bits: bytesOf(fields.sync_committee_bits, 'sync_committee_bits', size / 8),
    signature: bytesOf(fields.sync_committee_signature, 'sync_committee_signature', 96),
  };
}

/** Parses `/eth/v1/beacon/light_client/bootstrap/{root}`. @throws BEACON_ANSWER_INVALID */
export function parseBootstrap(answer: unknown, committeeSize: number): LightClientBootstrap {
  const data = fieldsOf(fieldsOf(answer, 'the answer').data, 'data');
  return {
    header: parseHeader(data.header, 'header'),
    currentSyncCommittee: parseCommittee(data.current_sync_committee, 'current_sync_committee', committeeSize),
    currentSyncCommitteeBranch: branchOf(data.current_sync_committee_branch, 'current_sync_committee_branch'),
  };
}

/**
 * Parses one entry of `/updates`, or the answer of `/finality_update` or `/optimistic_update`. Absent parts are undefined.
 * @throws BEACON_ANSWER_INVALID
 */
export function parseUpdate(answer: unknown, committeeSize: number): LightClientUpdate {
  const data = fieldsOf(fieldsOf(answer, 'the answer').data, 'data');
  const { finalized_header, next_sync_committee } = data;
  return {
    attestedHeader: parseHeader(data.attested_header, 'attested_header'),
    syncAggregate: aggregateOf(data.sync_aggregate, committeeSize),
    signatureSlot: slotOf(data.signature_slot, 'signature_slot'),
    ...(finalized_header !== undefined && {
      finalizedHeader: parseHeader(finalized_header, 'finalized_header'),
      finalityBranch: branchOf(data.finality_branch, 'finality_branch'),
    }),
    ...(next_sync_committee !== undefined && {
      nextSyncCommittee: parseCommittee(next_sync_committee, 'next_sync_committee', committeeSize),
      nextSyncCommitteeBranch: branchOf(data.next_sync_committee_branch, 'next_sync_committee_branch'),
    }),
  };
}
