import {
  cannotUnmarshal,
  dataFault,
  type Hex,
  InvalidValueError,
  jsonKind,
  type Log,
  type LogCondition,
  type LogField,
  parseHash,
  parseMember,
} from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, parseBlockNumberOrTag } from '../../block-id.ts';

/** Selects logs (execution-apis, Filter). */
export interface LogFilter {
  readonly blocks: { readonly hash: Hex } | { readonly from: BlockId; readonly to: BlockId };
  /** Allowed addresses; empty allows all. */
  readonly addresses: readonly Hex[];
  /** Allowed topics for each position; empty allows all. */
  readonly topics: readonly (readonly Hex[])[];
}

/** Most addresses, and most topics of a position: geth's default of --rpc.logquerylimit. */
const valuesMax = 1000;
const placesMax = 4;

const isGiven = (item: unknown) => item !== undefined && item !== null;

/** Parses a filter; `null` is the empty filter, as in geth. @throws VALUE_INVALID in geth's words */
export function parseLogFilter(field: string, value: unknown): LogFilter {
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidValueError(
      field,
      'an object with address, topics, and blockHash or fromBlock and toBlock',
      value,
      cannotUnmarshal(jsonKind(value), 'filters.input'),
    );
  const { address, topics, blockHash, fromBlock, toBlock } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const hash = isGiven(blockHash)
    ? parseMember({ name: 'input' }, 'blockHash', () => parseHash(`${field}.blockHash`, blockHash))
    : undefined;
  const block = (name: string, given: unknown): BlockId =>
    isGiven(given) ? parseBlockNumberOrTag(`${field}.${name}`, given) : { tag: 'latest' };
  const [from, to] = [block('fromBlock', fromBlock), block('toBlock', toBlock)];
  if (isGiven(topics) && !Array.isArray(topics)) throw topicsKind(`${field}.topics`, topics);
  if (hash !== undefined && (isGiven(fromBlock) || isGiven(toBlock)))
    throw new InvalidValueError(
      field,
      'either blockHash or a range',
      'both',
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    );
  return {
    blocks: hash === undefined ? { from, to } : { hash },
    addresses: isGiven(address) ? parseAddresses(`${field}.address`, address) : [],
    topics: Array.isArray(topics) ? parseTopics(`${field}.topics`, topics) : [],
  };
}

function parseAddresses(field: string, value: unknown): Hex[] {
  if (typeof value === 'string') return [parseBytes(field, value, addressForm, (fault) => `invalid address: ${fault}`)];
  if (!Array.isArray(value))
    throw new InvalidValueError(field, 'an address or a list of addresses', value, 'invalid addresses in query');
  return value.map((item: unknown, index) => {
    const at = `${field}[${index}]`;
    if (typeof item !== 'string')
      throw new InvalidValueError(at, addressForm.form, item, `non-string address at index ${index}`);
    return parseBytes(at, item, addressForm, (fault) => `invalid address at index ${index}: ${fault}`);
  });
}

function parseTopics(field: string, places: readonly unknown[]): (readonly Hex[])[] {
  if (places.length > placesMax) throw tooManyTopics(field, `a list of ${placesMax} at most`, places.length);
  return places.map((place, index) => {
    const at = `${field}[${index}]`;
    if (place === null) return [];
    if (!Array.isArray(place)) return [parseTopic(at, place)];
    if (place.length > valuesMax) throw tooManyTopics(at, `a list of ${valuesMax} at most`, place.length);
    // geth stops at the first null in the list and then matches every topic.
    const end = place.indexOf(null);
    const topics = place.slice(0, end === -1 ? undefined : end).map((item, n) => parseTopic(`${at}[${n}]`, item));
    return end === -1 ? topics : [];
  });
}

function tooManyTopics(field: string, form: string, length: number): InvalidValueError {
  return new InvalidValueError(field, form, length, 'exceed max topics');
}

function topicsKind(field: string, value: unknown): InvalidValueError {
  const reason = `json: cannot unmarshal ${jsonKind(value)} into Go struct field input.topics of type []interface {}`;
  return new InvalidValueError(field, 'a list of topics, or of lists of them', value, reason);
}

function parseTopic(field: string, value: unknown): Hex {
  if (typeof value !== 'string') throw new InvalidValueError(field, topicForm.form, value, 'invalid topic(s)');
  return parseBytes(field, value, topicForm, (fault) => fault);
}

interface BytesForm {
  readonly name: string;
  readonly bytes: number;
  readonly form: string;
}
const addressForm: BytesForm = { name: 'address', bytes: 20, form: 'an address, "0x" and 40 digits' };
const topicForm: BytesForm = { name: 'topic', bytes: 32, form: 'a topic, "0x" and 64 digits' };

/** Parses bytes of a fixed length. geth's filters have their own error texts. @throws VALUE_INVALID */
function parseBytes(
  field: string,
  value: string,
  { name, bytes, form }: BytesForm,
  reason: (fault: string) => string,
): Hex {
  const length = value.length / 2 - 1;
  const wrongLength = `hex has invalid length ${length} after decoding; expected ${bytes} for ${name}`;
  const fault = value === '' ? 'empty hex string' : (dataFault(value) ?? (length === bytes ? undefined : wrongLength));
  if (fault !== undefined) throw new InvalidValueError(field, form, value, reason(fault));
  return `0x${value.slice(2).toLowerCase()}`;
}

/** Checks the number of addresses and topics, which bounds index lookups. @throws RpcError */
export function requireBounded({ addresses, topics }: LogFilter): void {
  if (addresses.length <= valuesMax && topics.every(({ length }) => length <= valuesMax)) return;
  throw new RpcError(
    'server',
    `exceed max addresses or topics per search position. Give ${valuesMax} at most, or send several requests.`,
  );
}

/** Reports whether a log matches a filter. */
export function matches({ addresses, topics }: LogFilter, log: Log): boolean {
  if (addresses.length > 0 && !addresses.includes(log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((any, place) => any.length === 0 || any.includes(log.topics[place] ?? '0x'));
}

/** Converts a filter to conditions of the log index, which blocks with matching logs meet. */
export function conditionsOf({ addresses, topics }: LogFilter): LogCondition[] {
  const byTopic = topics.map((values, place): LogCondition => ({ field: place as LogField, values }));
  return [{ field: 'address' as const, values: addresses }, ...byTopic].filter(({ values }) => values.length > 0);
}
