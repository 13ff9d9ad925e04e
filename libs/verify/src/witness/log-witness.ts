import type { Block, Header, LogQuery, Receipt } from '@cairn/block-model';
import { bloomQueryOf, createBloomTest, encodeReceipt, isMatch } from '@cairn/block-model';
import type { RlpItem } from '@cairn/rlp';
import { verifyLimits } from '../limits.ts';
import { proveItems } from '../verify-inclusion.ts';
import { bytesListOf, decodeEnvelope, encodeEnvelope, listOf, type WitnessBytes } from './envelope.ts';

/** Everything that proves the logs of a range of blocks. */
export interface LogWitness {
  readonly chainId: bigint;
  /** RLP of the headers from the end of the range to its start, each the parent of the one before it. */
  readonly headers: readonly Uint8Array[];
  /** Encoded receipts of each block whose bloom matches, in the order of the headers. */
  readonly receipts: readonly (readonly Uint8Array[])[];
  /** Nodes of transactions tries that prove the transactions of matching logs. */
  readonly nodes: readonly Uint8Array[];
}

export function encodeLogWitness({ chainId, headers, receipts, nodes }: LogWitness): Uint8Array {
  return encodeEnvelope('logs', chainId, [[...headers], receipts.map((each): RlpItem => [...each]), [...nodes]]);
}

/** @throws WITNESS_TOO_LARGE, WITNESS_MALFORMED, WITNESS_VERSION_UNSUPPORTED */
export function decodeLogWitness(witness: WitnessBytes): LogWitness {
  const { chainId, fields } = decodeEnvelope('logs', witness, 3);
  const [headers, receipts, nodes] = fields;
  const { logHeadersMax, nodesMax } = verifyLimits;
  return {
    chainId,
    headers: bytesListOf(headers, 'headers', logHeadersMax),
    receipts: listOf(receipts, 'receipts', logHeadersMax).map((each) =>
      bytesListOf(each, 'receipts of a block', nodesMax),
    ),
    nodes: bytesListOf(nodes, 'nodes', nodesMax),
  };
}

/** The part of a {@link LogWitness} that proves the logs of one block. */
export interface BlockLogs {
  /** Absent if the bloom of the header excludes matching logs. */
  readonly receipts?: readonly Uint8Array[];
  readonly nodes: readonly Uint8Array[];
}

/** Creates a function that collects the proofs of one block after the other. */
export function createLogProver(
  query: LogQuery,
  reader: {
    readonly receipts: (header: Header) => readonly Receipt[];
    readonly block: (header: Header) => Pick<Block, 'transactions'>;
  },
): (header: Header) => BlockLogs {
  const isCandidate = createBloomTest(bloomQueryOf(query));
  return (header) => {
    if (!isCandidate(header.logsBloom)) return { nodes: [] };
    const receipts = reader.receipts(header);
    const matching = [...receipts.entries()].filter(([, { logs }]) => logs.some((log) => isMatch(query, log)));
    const indexes = matching.map(([index]) => index);
    const nodes =
      indexes.length === 0
        ? []
        : proveItems(
            reader.block(header).transactions.map(({ raw }) => raw),
            indexes,
          );
    return { receipts: receipts.map(encodeReceipt), nodes };
  };
}
