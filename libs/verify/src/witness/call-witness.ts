import { bytesFromBigint, bytesFromHex, hexFromBytes } from '@cairn/block-model';
import { type CallRefusal, type CallResult, decodeRevertReason, revertMessage } from '@cairn/evm-executor';
import { utf8FromText } from '@cairn/platform';
import type { RlpItem } from '@cairn/rlp';
import { withCode } from '../errors.ts';
import { verifyLimits } from '../limits.ts';
import { type CallMessage, parseCallMessage, textOfCallMessage } from './call-message.ts';
import {
  bytesListOf,
  bytesOf,
  decodeEnvelope,
  encodeEnvelope,
  integerOf,
  listOf,
  malformed,
  textOf,
  type WitnessBytes,
} from './envelope.ts';

/** Everything that somebody without state needs to repeat a call. */
export interface CallWitness {
  readonly chainId: bigint;
  readonly message: CallMessage;
  /** RLP of the block, then of its ancestors, each the parent of the one before it. */
  readonly headers: readonly Uint8Array[];
  readonly codes: readonly Uint8Array[];
  /** Nodes of the state trie and of storage tries. Their order has no meaning. */
  readonly nodes: readonly Uint8Array[];
  readonly result: CallResult | CallRefusal;
}

const kinds = ['success', 'revert', 'halt', 'refusal'] as const;

/** Encodes a witness. Equal witnesses have equal bytes. */
export function encodeCallWitness({ chainId, message, headers, codes, nodes, result }: CallWitness): Uint8Array {
  return encodeEnvelope('call', chainId, [
    utf8FromText(textOfCallMessage(message)),
    [...headers],
    [...codes],
    [...nodes],
    itemOfResult(result),
  ]);
}

/** @throws WITNESS_TOO_LARGE, WITNESS_MALFORMED, WITNESS_VERSION_UNSUPPORTED */
export function decodeCallWitness(witness: WitnessBytes): CallWitness {
  const { chainId, fields } = decodeEnvelope('call', witness, 5);
  const [message, headers, codes, nodes, result] = fields;
  const text = textOf(message, 'message');
  return {
    chainId,
    message: withCode('WITNESS_MALFORMED', 'The call of the witness cannot be read', () =>
      parseCallMessage(JSON.parse(text)),
    ),
    headers: bytesListOf(headers, 'headers', verifyLimits.callHeadersMax),
    codes: bytesListOf(codes, 'codes', verifyLimits.codesMax),
    nodes: bytesListOf(nodes, 'nodes', verifyLimits.nodesMax),
    result: resultOf(result),
  };
}

function itemOfResult(result: CallResult | CallRefusal): RlpItem {
  const item = (...data: Uint8Array[]) => [
    bytesFromBigint(BigInt(kinds.indexOf(result.kind))),
    bytesFromBigint(result.gasUsed),
    ...data,
  ];
  switch (result.kind) {
    case 'success':
      return item(bytesFromHex(result.output));
    case 'revert':
      return item(bytesFromHex(result.data));
    case 'halt':
      return item(utf8FromText(result.reason));
    case 'refusal':
      return item(utf8FromText(result.code), utf8FromText(result.message));
  }
}

function resultOf(item: RlpItem | undefined): CallResult | CallRefusal {
  const [number, gas, first, second, ...more] = listOf(item, 'result', 4);
  const kind = kinds[Number(integerOf(number, 'kind of the result'))];
  const gasUsed = integerOf(gas, 'gas');
  if (more.length > 0 || (second !== undefined) !== (kind === 'refusal'))
    throw malformed('its result has wrong fields');
  switch (kind) {
    case 'success':
      return { kind, output: hexFromBytes(bytesOf(first, 'output')), gasUsed };
    case 'revert':
      return revertOf(bytesOf(first, 'data'), gasUsed);
    case 'halt':
      return { kind, reason: textOf(first, 'reason'), gasUsed };
    case 'refusal':
      return {
        kind,
        code: textOf(first, 'code') as CallRefusal['code'],
        message: textOf(second, 'message'),
        gasUsed: 0n,
      };
    default:
      throw malformed('the kind of its result is unknown');
  }
}

function revertOf(data: Uint8Array, gasUsed: bigint): CallResult {
  const reason = decodeRevertReason(data);
  return {
    kind: 'revert',
    data: hexFromBytes(data),
    message: revertMessage(data),
    ...(reason !== undefined && { reason }),
    gasUsed,
  };
}
