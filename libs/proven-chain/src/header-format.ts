import { headerFromJson, type Json } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { answerInvalid, notYetKnown, type UpstreamPool } from '@cairn/upstream';
import { ProvenChainError } from './errors.ts';
import type { ReadOptions } from './proven-blocks.ts';

/** Fields of a block in JSON that are part of a header of a known format, or of the body. */
const knownFields: ReadonlySet<string> = new Set(
  `hash parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp
  extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash size
  totalDifficulty transactions uncles withdrawals`.split(/\s+/),
);

interface HeaderFormat {
  readonly isKnown: boolean;
  /** Fields of no known format, sorted. */
  readonly unknownFields: readonly string[];
}

/**
 * Checks that the headers of a chain have a known format: the hash of the newest one is that of its fields. To be called when a
 * chain is opened, since later every answer of such a chain would count as a lie.
 * @throws HEADER_FORMAT_UNKNOWN, UPSTREAMS_DISAGREE, UPSTREAMS_UNAVAILABLE
 */
export async function requireKnownHeaders(
  pool: UpstreamPool,
  attestation: ReadOptions & { readonly quorum: number; readonly among?: readonly string[] },
): Promise<void> {
  const call = { method: 'eth_getBlockByNumber', params: ['latest', false], parse: formatOf };
  const { value } = await pool.requestQuorum(call, { ...attestation, textOf: ({ isKnown }) => `${isKnown}` });
  if (value.isKnown) return;
  const named = value.unknownFields.slice(0, 10).join(', ');
  throw new ProvenChainError(
    'HEADER_FORMAT_UNKNOWN',
    `The block headers of this chain have an unknown format${named && `, for example with the fields ${named}`}.`,
    { hint: 'Use a chain whose block hashes can be computed from the fields of Ethereum headers.' },
  );
}

function formatOf(result: unknown): HeaderFormat {
  if (result === null) throw notYetKnown('the newest block is not known');
  if (typeof result !== 'object' || Array.isArray(result)) throw answerInvalid('the block is not an object');
  const json = result as Json;
  const unknownFields = Object.keys(json).filter((field) => !knownFields.has(field) && field.length < 60);
  return { isKnown: hashOf(json) === String(json.hash).toLowerCase(), unknownFields: unknownFields.sort() };
}

function hashOf(json: Json): string | undefined {
  try {
    return headerFromJson(json).hash;
  } catch (error) {
    if (isCairnError(error) && (error.code === 'VALUE_INVALID' || error.code === 'DECODE_FAILED')) return undefined;
    throw error;
  }
}
