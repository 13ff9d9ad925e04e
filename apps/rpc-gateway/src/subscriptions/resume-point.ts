import {
  cannotUnmarshal,
  type Hex,
  InvalidValueError,
  jsonKind,
  parseHash,
  parseUint64,
  parseWithReason,
  quantity,
} from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { BlockReader } from '../chains/chain.ts';
import type { ChainPosition } from './chain-path.ts';
import type { SeenLogs } from './seen-logs.ts';
import type { BlockTopic } from './topic.ts';

/** Most blocks that a resumed subscription delivers before the head: as many as eth_getLogs reads. */
export const resumedBlocksMax = 10_000n;

/** The last event of a client: its block, and within the block the log. */
export interface LastSeen extends ChainPosition {
  /** Absent if the client has seen all events of the block. */
  readonly log: SeenLogs | undefined;
}

/** Start of a resumed stream. */
export interface ResumePoint {
  readonly seen: ChainPosition;
  readonly partly: SeenLogs | undefined;
}

/**
 * Parses a number and a hash, or the result of a notification: a header, a log or a receipt.
 * @throws VALUE_INVALID
 */
export function parseLastSeen(field: string, value: unknown): LastSeen {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValueError(
      field,
      'an object with number and hash, or the last header, log or receipt',
      value,
      cannotUnmarshal(jsonKind(value), 'object'),
    );
  const { number, hash, blockNumber, blockHash, logIndex, removed } = value as Readonly<Record<string, unknown>>;
  const position = {
    number: parseRequired(field, 'number', blockNumber ?? number, parseUint64),
    hash: parseRequired(field, 'hash', blockHash ?? hash, parseHash),
  };
  if (logIndex === undefined || logIndex === null) return { ...position, log: undefined };
  const log = { logIndex: parseUint64(`${field}.logIndex`, logIndex), removed: removed === true };
  return { ...position, log };
}

function parseRequired<T>(field: string, name: string, value: unknown, parse: (field: string, value: unknown) => T): T {
  const isMissing = value === undefined || value === null;
  return parseWithReason(
    () => parse(`${field}.${name}`, value),
    (reason) => (isMissing ? `missing required field '${name}'` : reason),
  );
}

/**
 * Finds the start of a resumed stream. Has no side effects.
 * @throws RpcError -32000 for an unknown block, -32602 for a wrong number, -32005 for a block that is too far below the head
 */
export function resumePoint(
  reader: Pick<BlockReader, 'head' | 'header'>,
  topic: BlockTopic,
  { number, hash, log }: LastSeen,
): ResumePoint {
  const header = reader.header(hash);
  if (header === undefined)
    throw new RpcError(
      'server',
      `unknown block. This chain has no block ${hash}; read the missed logs with eth_getLogs, then subscribe again.`,
    );
  if (header.number !== number)
    throw new RpcError(
      'params',
      `Block ${hash} has the number ${header.number}, not ${number}. Give both of one block.`,
    );
  const first = reader.head.number - resumedBlocksMax + 1n;
  if (number + 1n < first) throw tooFar(number, first, hash);
  return { seen: { number, hash }, partly: topic.kind === 'logs' ? log : undefined };
}

function tooFar(number: bigint, first: bigint, hash: Hex): RpcError {
  return new RpcError(
    'limit',
    `The subscription can resume with block ${first} or a later one, not with block ${number + 1n}. Read earlier blocks with eth_getLogs.`,
    { blocksMax: Number(resumedBlocksMax), firstBlock: quantity(first), lastSeen: hash },
  );
}
