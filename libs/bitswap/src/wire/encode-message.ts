import type { BitswapMessage, Payload, Presence, WantEntry } from './message.ts';
import { varintLength, writeVarint } from './varint.ts';

/** Encodes a message with its length before it: parts whose payloads are the given arrays, not copies. */
export function encodeFrame(message: BitswapMessage): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const wantlist = encodeWantlist(message);
  if (wantlist.length > 0) parts.push(field(10, wantlist));
  for (const payload of message.payloads) parts.push(...encodePayload(payload));
  for (const presence of message.presences) parts.push(encodePresence(presence));
  if (message.pendingBytes > 0) parts.push(numbers([40, message.pendingBytes]));
  let length = 0;
  for (const part of parts) length += part.length;
  return [numbers([length]), ...parts];
}

/** Bytes of a presence or a want on the wire, at most. */
export function entryBytesMax(cidBytes: number): number {
  return cidBytes + 24;
}

function encodeWantlist(message: BitswapMessage): Uint8Array {
  const parts = message.wants.map((want) => field(10, encodeWant(want)));
  if (message.isFull) parts.push(numbers([16, 1]));
  return Buffer.concat(parts);
}

function encodeWant({ cid, priority, isCancel, type, sendDontHave }: WantEntry): Uint8Array {
  const flags = [16, Math.max(0, priority)];
  if (isCancel) flags.push(24, 1);
  if (type === 'have') flags.push(32, 1);
  if (sendDontHave) flags.push(40, 1);
  return Buffer.concat([field(10, cid.bytes), numbers(flags)]);
}

function encodePresence({ cid, has }: Presence): Uint8Array {
  return field(34, Buffer.concat([field(10, cid.bytes), numbers(has ? [] : [16, 1])]));
}

function encodePayload({ prefix, bytes }: Payload): Uint8Array[] {
  const head = Buffer.concat([field(10, prefix), numbers([18, bytes.length])]);
  return [Buffer.concat([numbers([26, head.length + bytes.length]), head]), bytes];
}

/** Length-delimited field with its tag. */
function field(tag: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([numbers([tag, bytes.length]), bytes]);
}

function numbers(values: readonly number[]): Uint8Array {
  let length = 0;
  for (const value of values) length += varintLength(value);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const value of values) at = writeVarint(bytes, value, at);
  return bytes;
}
