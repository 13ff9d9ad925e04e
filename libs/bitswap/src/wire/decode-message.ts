import { CID } from '@cairn/cid';
import { messageInvalid } from '../errors.ts';
import type { BitswapLimits } from '../limits.ts';
import type { Steps } from '../sliced-steps.ts';
import type { BitswapMessage, Payload, Presence, WantEntry } from './message.ts';
import { ProtobufReader } from './varint.ts';

type DecodeLimits = Pick<BitswapLimits, 'entriesMax' | 'cidBytesMax' | 'blockBytesMax'>;
type Message = {
  isFull: boolean;
  wants: WantEntry[];
  payloads: Payload[];
  presences: Presence[];
  pendingBytes: number;
};

/** Prefix of blocks in the field of bitswap 1.0: CIDv0, thus dag-pb with sha2-256. */
const prefixVersion0 = Uint8Array.of(0, 0x70, 0x12, 32);

/**
 * Decodes a message in steps of one field. Payloads are views of `bytes`. Entries beyond the limits are skipped without work,
 * since a message of 4 MiB can name a million of them.
 * @throws BITSWAP_MESSAGE_INVALID
 */
export function* decodeMessage(bytes: Uint8Array, limits: DecodeLimits): Steps<BitswapMessage> {
  const message: Message = { isFull: false, wants: [], payloads: [], presences: [], pendingBytes: 0 };
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    yield;
    const tag = reader.varint();
    if (tag === 10) yield* decodeWantlist(reader.view(), message, limits);
    else if (tag === 18) addPayload(message, { prefix: prefixVersion0, bytes: reader.view() }, limits);
    else if (tag === 26) addPayload(message, decodePayload(reader.view()), limits);
    else if (tag === 34 && message.presences.length < limits.entriesMax)
      message.presences.push(decodePresence(reader.view(), limits));
    else if (tag === 40) message.pendingBytes = reader.varint() | 0;
    else reader.skip(tag & 7);
  }
  return message;
}

function* decodeWantlist(bytes: Uint8Array, message: Message, limits: DecodeLimits): Steps {
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    yield;
    const tag = reader.varint();
    if (tag === 10 && message.wants.length < limits.entriesMax) message.wants.push(decodeWant(reader.view(), limits));
    else if (tag === 16) message.isFull = reader.varint() !== 0;
    else reader.skip(tag & 7);
  }
}

function decodeWant(bytes: Uint8Array, limits: DecodeLimits): WantEntry {
  const reader = new ProtobufReader(bytes);
  let cid: CID | undefined;
  let priority = 0;
  let isCancel = false;
  let type: WantEntry['type'] = 'block';
  let sendDontHave = false;
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === 10) cid = decodeCid(reader.view(), limits);
    else if (tag === 16) priority = reader.varint() | 0;
    else if (tag === 24) isCancel = reader.varint() !== 0;
    else if (tag === 32) type = reader.varint() === 1 ? 'have' : 'block';
    else if (tag === 40) sendDontHave = reader.varint() !== 0;
    else reader.skip(tag & 7);
  }
  if (cid === undefined) throw messageInvalid('a wantlist entry has no CID');
  return { cid, priority, isCancel, type, sendDontHave };
}

function decodePayload(bytes: Uint8Array): Payload {
  const reader = new ProtobufReader(bytes);
  let prefix: Uint8Array | undefined;
  let data: Uint8Array = new Uint8Array();
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === 10) prefix = reader.view();
    else if (tag === 18) data = reader.view();
    else reader.skip(tag & 7);
  }
  if (prefix === undefined) throw messageInvalid('a block has no CID prefix');
  return { prefix, bytes: data };
}

function addPayload(message: Message, payload: Payload, limits: DecodeLimits): void {
  if (payload.bytes.length > limits.blockBytesMax)
    throw messageInvalid(`a block has ${payload.bytes.length} bytes, and the limit is ${limits.blockBytesMax}`);
  if (message.payloads.length < limits.entriesMax) message.payloads.push(payload);
}

function decodePresence(bytes: Uint8Array, limits: DecodeLimits): Presence {
  const reader = new ProtobufReader(bytes);
  let cid: CID | undefined;
  let has = true;
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === 10) cid = decodeCid(reader.view(), limits);
    else if (tag === 16) has = reader.varint() === 0;
    else reader.skip(tag & 7);
  }
  if (cid === undefined) throw messageInvalid('a presence has no CID');
  return { cid, has };
}

function decodeCid(bytes: Uint8Array, limits: DecodeLimits): CID {
  if (bytes.length > limits.cidBytesMax)
    throw messageInvalid(`a CID has ${bytes.length} bytes, and the limit is ${limits.cidBytesMax}`);
  try {
    // A copy: a view would keep the whole message in memory as long as the want.
    return CID.decode(bytes.slice());
  } catch (error) {
    throw messageInvalid(`a CID does not decode (${error instanceof Error ? error.message : String(error)})`);
  }
}
