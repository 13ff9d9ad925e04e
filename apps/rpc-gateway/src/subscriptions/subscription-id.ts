import { createHash, randomBytes } from 'node:crypto';
import { bytesFromHex, decodeRlp, encodeRlp, type Hex, hexFromBytes, type RlpItem } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { RpcError } from '@cairn/jsonrpc-core';
import type { BlockId } from '../block-id.ts';
import { type BlockTopic, type GivenQuery, isBlockTopic, parseTopic, type Topic } from './topic.ts';

/**
 * Forms of an id, in its first byte. The first digit is not zero, since some clients read ids as numbers. An id grants no access: the
 * key is checked against the described topic.
 */
const forms = {
  /** The rest is random. The subscription cannot be resumed. */
  random: 0x10,
  /** Random bytes, then the topic in RLP. */
  topic: 0x11,
  /** Random bytes, then a digest of a topic that is too long for an id. A client gives the topic again to resume. */
  digest: 0x12,
} as const;

const idBytes = 16;
const randomLength = 7;
const digestLength = 24;
/** Longest topic within an id: each notification repeats the id. */
const topicBytesMax = 160;
const idPattern = /^0x(?:[0-9a-f]{2}){9,200}$/;

/** Creates an id of a filter, or of a subscription that cannot be resumed. */
export function newSubscriptionId(): Hex {
  return hexFromBytes(Buffer.concat([Uint8Array.of(forms.random), randomBytes(idBytes - 1)]));
}

/** Creates an id that describes its topic, so that any gateway process can resume the subscription. */
export function subscriptionIdOf(topic: Topic): Hex {
  const description = describe(topic);
  if (description === undefined) return newSubscriptionId();
  const isShort = description.length <= topicBytesMax;
  const rest = isShort ? description : digestOf(description);
  const start = Uint8Array.of(isShort ? forms.topic : forms.digest);
  return hexFromBytes(Buffer.concat([start, randomBytes(randomLength), rest]));
}

/**
 * Reads the topic that an id describes.
 * @param kind, query parameters of eth_subscribe, required for an id that contains only a digest
 * @throws RpcError -32602 for an id of another form, and for a topic that differs from that of the id
 */
export function topicOfSubscription(id: string, kind: unknown, query: GivenQuery | undefined): BlockTopic {
  const bytes = idPattern.test(id) ? bytesFromHex(id as Hex) : new Uint8Array();
  const rest = bytes.subarray(1 + randomLength);
  switch (bytes[0]) {
    case forms.topic:
      return topicFrom(rest);
    case forms.digest:
      return givenTopic(rest, kind, query);
    case forms.random:
      throw invalidId('the id of a subscription to newHeads, logs or transactionReceipts');
    default:
      throw invalidId('an id that eth_subscribe returned');
  }
}

function givenTopic(digest: Uint8Array, kind: unknown, query: GivenQuery = { value: undefined }): BlockTopic {
  if (digest.length !== digestLength) throw invalidId('an id that eth_subscribe returned');
  if (kind === undefined)
    throw new RpcError(
      'params',
      'missing value for required argument 2. The id contains only a digest of its long filter; give the parameters of eth_subscribe after the last event.',
    );
  const topic = parseTopic(kind, query);
  const description = describe(topic);
  if (description !== undefined && isBlockTopic(topic) && Buffer.compare(digestOf(description), digest) === 0)
    return topic;
  throw new RpcError(
    'params',
    'The subscription id belongs to another filter. Give the parameters of its eth_subscribe.',
  );
}

function invalidId(expected: string): RpcError {
  return new RpcError('params', `invalid subscription id. Expected ${expected}.`);
}

function digestOf(description: Uint8Array): Uint8Array {
  return createHash('sha256').update(description).digest().subarray(0, digestLength);
}

/** Encodes a topic; `undefined` for a topic whose events do not follow from blocks. */
function describe(topic: Topic): Uint8Array | undefined {
  switch (topic.kind) {
    case 'newHeads':
      return encodeRlp([textBytes('newHeads')]);
    case 'transactionReceipts':
      return encodeRlp([textBytes(topic.kind), [...topic.hashes].map(bytesFromHex)]);
    case 'logs': {
      const { blocks, addresses, topics } = topic.filter;
      const range = 'hash' in blocks ? [bytesFromHex(blocks.hash)] : [textOf(blocks.from), textOf(blocks.to)];
      return encodeRlp([
        textBytes('logs'),
        range,
        addresses.map(bytesFromHex),
        topics.map((values) => values.map(bytesFromHex)),
      ]);
    }
    default:
      return undefined;
  }
}

function topicFrom(description: Uint8Array): BlockTopic {
  try {
    const [kind, ...fields] = listFrom(decodeRlp('subscription id', description));
    const topic = parseTopic(textFrom(kind), { value: queryFrom(textFrom(kind), fields) });
    if (isBlockTopic(topic)) return topic;
  } catch (error) {
    if (!(error instanceof RpcError || isCairnError(error, 'DECODE_FAILED', 'VALUE_INVALID'))) throw error;
  }
  throw invalidId('an id that eth_subscribe returned');
}

/** The second parameter of eth_subscribe. */
function queryFrom(kind: string, [first, address, topics]: readonly RlpItem[]): unknown {
  if (kind === 'transactionReceipts') return { transactionHashes: hexesFrom(first) };
  if (kind !== 'logs') return undefined;
  const [from, to] = listFrom(first);
  const blocks =
    to === undefined
      ? { blockHash: hexesFrom(listFrom(first))[0] }
      : { fromBlock: textFrom(from), toBlock: textFrom(to) };
  return { ...blocks, address: hexesFrom(address), topics: listFrom(topics).map(hexesFrom) };
}

function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(id: BlockId): Uint8Array {
  if ('tag' in id) return textBytes(id.tag);
  return textBytes('number' in id ? `0x${id.number.toString(16)}` : '');
}

function textFrom(item: RlpItem | undefined): string {
  return item instanceof Uint8Array ? new TextDecoder().decode(item) : '';
}

function listFrom(item: RlpItem | readonly RlpItem[] | undefined): readonly RlpItem[] {
  return item === undefined || item instanceof Uint8Array ? [] : item;
}

function hexesFrom(item: RlpItem | readonly RlpItem[] | undefined): Hex[] {
  return listFrom(item).map((value) => (value instanceof Uint8Array ? hexFromBytes(value) : '0x'));
}
