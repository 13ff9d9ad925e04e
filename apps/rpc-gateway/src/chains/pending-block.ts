import { type BaseFeeHeader, type Header, nextBaseFee, nextExcessBlobGas } from '@cairn/block-model';
import { forkRules } from '@cairn/evm-executor';
import type { Chain } from './chain.ts';

// The pending block is an empty block after the head, since this gateway has no pending transactions. Its fields follow geth's miner
// (v1.17.5, miner/worker.go).

/** Fields of the pending block that fees and environments depend on. */
export type PendingFields = Pick<
  Header,
  | 'number'
  | 'timestamp'
  | 'gasLimit'
  | 'gasUsed'
  | 'parentHash'
  | 'miner'
  | 'mixHash'
  | 'baseFeePerGas'
  | 'blobGasUsed'
  | 'excessBlobGas'
>;

/** Target of the block gas limit, as in geth (miner.DefaultConfig.GasCeil), and the divisor that bounds its change per block. */
const gasCeiling = 60_000_000n;
const gasLimitBoundDivisor = 1024n;
/** Base fee of the first block that has one, in wei per gas, and the factor of its gas limit (EIP-1559). */
const initialBaseFee = 1_000_000_000n;
const elasticity = 2n;
const zeroAddress = `0x${'00'.repeat(20)}` as const;
const zeroHash = `0x${'00'.repeat(32)}` as const;

type FeeHeader = Pick<Header, 'number' | 'timestamp' | 'gasUsed' | 'gasLimit' | 'baseFeePerGas'> & BaseFeeHeader;

/** Base fee of the block after a header, in wei per gas; `undefined` before London. */
export function baseFeeAfter({ reader: { spec } }: Pick<Chain, 'reader'>, header: FeeHeader): bigint | undefined {
  const isLondon =
    spec !== undefined && forkRules(spec, { number: header.number + 1n, timestamp: header.timestamp }).isLondon;
  return isLondon ? (nextBaseFee(header, spec) ?? initialBaseFee) : undefined;
}

/** Fields of the pending block after the head. @param now seconds since 1970 */
export function pendingFields(
  chain: Pick<Chain, 'reader'>,
  head: Header,
  now = BigInt(Math.floor(Date.now() / 1000)),
): PendingFields {
  const { spec } = chain.reader;
  const number = head.number + 1n;
  const timestamp = now > head.timestamp ? now : head.timestamp + 1n;
  const baseFeePerGas = baseFeeAfter(chain, head);
  const rules = spec && forkRules(spec, { number, timestamp });
  const isFirstWithBaseFee = baseFeePerGas !== undefined && head.baseFeePerGas === undefined;
  return {
    number,
    timestamp,
    // The sequencer of an OP-stack chain sets gas limit and miner from L1.
    gasLimit: rules?.isOpStack
      ? head.gasLimit
      : gasLimitAfter(isFirstWithBaseFee ? head.gasLimit * elasticity : head.gasLimit),
    gasUsed: 0n,
    parentHash: head.hash,
    miner: rules?.isOpStack ? head.miner : zeroAddress,
    mixHash: zeroHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules?.isCancun && { blobGasUsed: 0n, excessBlobGas: nextExcessBlobGas(head, rules) }),
  };
}

function gasLimitAfter(parent: bigint): bigint {
  const step = parent / gasLimitBoundDivisor - 1n;
  if (parent < gasCeiling) return parent + step < gasCeiling ? parent + step : gasCeiling;
  return parent - step > gasCeiling ? parent - step : gasCeiling;
}

/** Reads the header of the head. */
export function headOf({ reader }: Pick<Chain, 'reader'>): Header {
  const header = reader.header(reader.head.hash);
  if (header === undefined) throw new Error(`The header of the head ${reader.head.hash} is missing.`);
  return header;
}
