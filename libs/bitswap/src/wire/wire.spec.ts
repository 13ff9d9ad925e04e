import { BufferPool } from '@cairn/blockstore/core';
import { CID, cidFor, parseCid } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bitswapLimits } from '../limits.ts';
import { finishSteps } from '../testing/finish-steps.fixture.ts';
import { cidFromPayload, prefixFromCid } from './cid-prefix.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeFrame } from './encode-message.ts';
import type { BitswapMessage } from './message.ts';
import { readFrames } from './read-frames.ts';

const limits = { ...bitswapLimits };
const invalid = expect.objectContaining({ code: 'BITSWAP_MESSAGE_INVALID' });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

async function frames(chunks: readonly Uint8Array[], bytesMax = 4096, buffers?: BufferPool): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const frame of readFrames(source(), bytesMax, () => {}, buffers)) list.push(frame);
  return list;
}

const decode = async (parts: readonly Uint8Array[]) => {
  const [frame] = await frames(parts, limits.messageBytesMax);
  return finishSteps(decodeMessage(frame ?? new Uint8Array(), limits));
};

const arbitraryCid = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(0x55, 0x70, 0x71), fc.constantFrom('sha2-256', 'blake3'))
  .map(([bytes, codec, hash]) => cidFor(bytes, { codec, hash }));
const arbitraryMessage: fc.Arbitrary<BitswapMessage> = fc.record({
  isFull: fc.boolean(),
  wants: fc.array(
    fc.record({
      cid: arbitraryCid,
      priority: fc.nat(),
      isCancel: fc.boolean(),
      type: fc.constantFrom('block' as const, 'have' as const),
      sendDontHave: fc.boolean(),
    }),
  ),
  payloads: fc.array(fc.record({ prefix: arbitraryCid.map(prefixFromCid), bytes: fc.uint8Array() })),
  presences: fc.array(fc.record({ cid: arbitraryCid, has: fc.boolean() })),
  pendingBytes: fc.nat(),
});

const plain = (message: BitswapMessage) => ({
  ...message,
  wants: message.wants.map((want) => ({ ...want, cid: want.cid.toString() })),
  presences: message.presences.map((presence) => ({ ...presence, cid: presence.cid.toString() })),
  payloads: message.payloads.map(({ prefix, bytes }) => [hex(prefix), hex(bytes)]),
});

describe('messages', () => {
  test('decode returns the encoded message', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMessage, async (message) => {
        expect(plain(await decode(encodeFrame(message)))).toEqual(plain(message));
      }),
    );
  });

  test('encode matches the protobuf of the specification', () => {
    const cid = parseCid('bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq');
    const want = { cid, priority: 1, isCancel: false, type: 'have' as const, sendDontHave: true };
    const frame = encodeFrame({ isFull: true, wants: [want], payloads: [], presences: [], pendingBytes: 0 });
    const cidHex = hex(cid.bytes);
    const entry = `0a24${cidHex}100120012801`;
    expect(hex(Buffer.concat(frame))).toBe(`320a300a2c${entry}1001`);
  });

  test('decode of any bytes returns a message or throws the code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          finishSteps(decodeMessage(bytes, limits));
        } catch (error) {
          expect(error).toEqual(invalid);
        }
      }),
    );
  });

  test('decode skips entries beyond the limit', async () => {
    const cid = cidFor(new Uint8Array(), { codec: 'raw' });
    const want = { cid, priority: 1, isCancel: false, type: 'block' as const, sendDontHave: false };
    const message = { isFull: false, wants: new Array(50).fill(want), payloads: [], presences: [], pendingBytes: 0 };
    const [frame] = await frames(encodeFrame(message));
    expect(finishSteps(decodeMessage(frame ?? new Uint8Array(), { ...limits, entriesMax: 20 })).wants).toHaveLength(20);
  });

  test('decode accepts blocks of bitswap 1.0 and refuses large blocks and long CIDs', () => {
    const old = finishSteps(decodeMessage(Uint8Array.of(18, 2, 1, 2), limits));
    expect(old.payloads.map(cidFromPayload).map(({ version }) => version)).toEqual([0]);
    expect(() => finishSteps(decodeMessage(Uint8Array.of(18, 2, 1, 2), { ...limits, blockBytesMax: 1 }))).toThrow(
      invalid,
    );
    expect(() =>
      finishSteps(decodeMessage(Uint8Array.of(10, 6, 10, 4, 10, 2, 1, 2), { ...limits, cidBytesMax: 1 })),
    ).toThrow(invalid);
  });
});

describe('CID prefixes', () => {
  test('the CID follows from the bytes, for both versions', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('sha2-256', 'blake2b-256', 'blake3'), (bytes, hash) => {
        const version1 = cidFor(bytes, { codec: 'dag-cbor', hash });
        expect(cidFromPayload({ prefix: prefixFromCid(version1), bytes }).toString()).toBe(version1.toString());
        const version0 = cidFor(bytes, { codec: 'dag-pb', version: 0 });
        expect(cidFromPayload({ prefix: prefixFromCid(version0), bytes }).toString()).toBe(version0.toString());
      }),
    );
  });

  test.each([
    ['an unknown hash function', [1, 0x55, 0xd5, 1, 16]],
    ['a digest that is too long', [1, 0x55, 0x12, 33]],
    ['version 0 with another codec', [0, 0x55, 0x12, 32]],
    ['version 2', [2, 0x55, 0x12, 32]],
    ['more numbers', [1, 0x55, 0x12, 32, 1]],
    ['fewer numbers', [1, 0x55]],
  ])('refuses %s', (_, prefix) => {
    expect(() => cidFromPayload({ prefix: Uint8Array.from(prefix), bytes: new Uint8Array() })).toThrow(invalid);
  });
});

describe('readFrames', () => {
  test('returns the same messages for any split of the stream', async () => {
    const cid = CID.parse('bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 })), fc.array(fc.nat(40)), async (blocks, cuts) => {
        const messages = blocks.map((bytes) =>
          encodeFrame({
            isFull: false,
            wants: [],
            payloads: [{ prefix: prefixFromCid(cid), bytes }],
            presences: [],
            pendingBytes: 0,
          }),
        );
        let rest: Uint8Array = Buffer.concat(messages.flat());
        const chunks: Uint8Array[] = [];
        for (const cut of cuts) {
          chunks.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        const read = await frames([...chunks, rest]);
        expect(read.map((frame) => hex(finishSteps(decodeMessage(frame, limits)).payloads[0]?.bytes ?? rest))).toEqual(
          blocks.map(hex),
        );
      }),
    );
  });

  test('a long message is in a lent buffer, and the buffers that it has outgrown are lent again', async () => {
    const buffers = new BufferPool({ bytesMax: 1024 * 1024 });
    const message = Buffer.alloc(640 * 1024, 'long ');
    const stream = Buffer.concat([Uint8Array.of(0x80, 0x80, 0x28), message, Uint8Array.of(3, 1, 2, 3)]);
    const chunks = Array.from({ length: 21 }, (_, at) => stream.subarray(at * 32_768, (at + 1) * 32_768));
    const [long, short] = await frames(chunks, message.length, buffers);
    expect(long && message.equals(long)).toBe(true);
    expect([long && buffers.isLent(long), short && buffers.isLent(short)]).toEqual([true, false]);
    expect(buffers.freeBytes).toBeGreaterThan(0);
    expect(short).toEqual(Uint8Array.of(1, 2, 3));
  });

  test('refuses a length beyond the limit before the message arrives', async () => {
    await expect(frames([Uint8Array.of(0x81, 0x20)], 4096)).rejects.toEqual(invalid);
    await expect(frames([Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff)])).rejects.toEqual(invalid);
  });

  test('an incomplete message is no fault of the peer', async () => {
    await expect(frames([Uint8Array.of(5, 1)])).rejects.not.toEqual(invalid);
  });
});
