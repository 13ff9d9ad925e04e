import {
  type ChainSpec,
  type Header,
  type Hex,
  logsBloomOf,
  nextBaseFee,
  nextExcessBlobGas,
  unclesHash,
  withdrawalsRoot,
} from '@cairn/block-model';
import { type ForkRules, forkRules, isMergedAt } from '@cairn/evm';
import { type BlockEnvironment, blobBaseFeeAt } from '../block-environment.ts';
import type { PlannedBlock } from './plan-blocks.ts';

const zeros32: Hex = `0x${'00'.repeat(32)}`;
const initialBaseFee = 1_000_000_000n;

export type HeaderFields = Omit<Header, 'hash' | 'raw'>;

export interface DraftHeaderOptions {
  readonly spec: ChainSpec;
  readonly overrides: PlannedBlock['blockOverrides'];
  readonly parent: Header;
  /** Derive the base fee from the parent instead of setting it to zero. */
  readonly isValidated: boolean;
}

/** Creates the header of a simulated block before execution. Number and time determine its fork. */
export function draftHeader({ spec, overrides, parent, isValidated }: DraftHeaderOptions): HeaderFields {
  const place = { number: overrides.number, timestamp: overrides.time };
  const rules = headerRules(spec, overrides);
  const baseFee = isValidated ? baseFeeAfter(spec, parent) : 0n;
  const ownBaseFee = overrides.baseFeePerGas ?? (rules.isLondon ? baseFee : undefined);
  return {
    parentHash: parent.hash,
    unclesHash: unclesHash([]),
    miner: overrides.feeRecipient ?? parent.miner,
    stateRoot: zeros32,
    transactionsRoot: zeros32,
    receiptsRoot: zeros32,
    logsBloom: logsBloomOf([]),
    difficulty: overrides.difficulty ?? (isMergedAt(spec, place) ? 0n : parent.difficulty),
    number: overrides.number,
    gasLimit: overrides.gasLimit ?? parent.gasLimit,
    gasUsed: 0n,
    timestamp: overrides.time,
    extraData: '0x',
    mixHash: overrides.prevRandao ?? zeros32,
    nonce: '0x0000000000000000',
    ...(ownBaseFee !== undefined && { baseFeePerGas: ownBaseFee }),
    ...(rules.isShanghai && { withdrawalsRoot: withdrawalsRoot(overrides.withdrawals ?? []) }),
    ...(rules.isCancun && {
      blobGasUsed: 0n,
      excessBlobGas: nextExcessBlobGas(parent, rules),
      parentBeaconBlockRoot: overrides.beaconRoot ?? zeros32,
    }),
  };
}

/** Base fee after `parent`. A base fee that an override gave to a parent before London does not count. */
function baseFeeAfter(spec: ChainSpec, parent: Header): bigint {
  const { isLondon } = headerRules(spec, { number: parent.number, time: parent.timestamp });
  return (isLondon ? nextBaseFee(parent, spec) : undefined) ?? initialBaseFee;
}

/** Rules for header fields. They depend on number and time only, as if the block were after the merge. */
export function headerRules(
  spec: ChainSpec,
  { number, time }: Pick<PlannedBlock['blockOverrides'], 'number' | 'time'>,
): ForkRules {
  return forkRules(spec, { number, timestamp: time, isMerged: true });
}

/** Extracts the fields of a header that code can read. */
export function environmentOf(
  header: HeaderFields,
  rules: ForkRules,
  blobBaseFee: bigint | undefined,
): BlockEnvironment {
  const { number, timestamp, gasLimit, difficulty, baseFeePerGas } = header;
  return {
    number,
    timestamp,
    gasLimit,
    difficulty,
    coinbase: header.miner,
    prevRandao: header.mixHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules.isCancun && { blobBaseFee: blobBaseFee ?? blobBaseFeeAt(header.excessBlobGas ?? 0n, rules) }),
  };
}
