/// <reference path="./snappyjs.d.ts" />
import { gzipSync } from 'node:zlib';
import { decodeRlp, encodeRlp, type RlpItem } from '@cairn/block-model';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import snappy from 'snappyjs';
import { temporaryDirectory } from './chain.fixture.ts';
import { maskedCrc32c } from './crc32c.ts';
import { readBlockFile } from './index.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

async function read(content: Uint8Array): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  let last = 0;
  for await (const { raw, position } of readBlockFile(directory.write('blocks', content))) {
    expect(position).toBeGreaterThanOrEqual(last);
    expect(position).toBeLessThanOrEqual(content.length);
    last = position;
    blocks.push(Buffer.from(raw));
  }
  return blocks;
}

const refused = (content: Uint8Array, reason: RegExp) =>
  expect(read(content)).rejects.toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringMatching(reason) });

/** Returns a record of e2store: type, length, payload. */
function record(type: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(type, 0);
  head.writeUInt32LE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

function frame(type: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(type, 0);
  head.writeUIntLE(content.length, 1, 3);
  return Buffer.concat([head, content]);
}

const streamIdentifier = frame(0xff, Buffer.from('sNaPpY'));

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(maskedCrc32c(bytes));
  return sum;
}

/** Returns framed snappy: pieces of 65,536 bytes, alternately compressed and uncompressed, since writers may choose. */
function framed(bytes: Uint8Array): Buffer {
  const frames = [streamIdentifier];
  for (let offset = 0; offset < bytes.length; offset += 65_536) {
    const piece = bytes.slice(offset, offset + 65_536);
    const isPacked = frames.length % 2 === 1;
    frames.push(frame(isPacked ? 0 : 1, Buffer.concat([checksum(piece), isPacked ? snappy.compress(piece) : piece])));
    frames.push(frame(0xfe, Buffer.alloc(3)));
  }
  return Buffer.concat(frames);
}

const version = record(0x3265, new Uint8Array(0));

/** Returns an era1 file with headers, bodies, and the receipts, difficulties and index that the reader skips. */
function era1Of(blocks: readonly Uint8Array[]): Buffer {
  const records = blocks.flatMap((raw) => {
    const [header, ...body] = decodeRlp('block', raw) as RlpItem[];
    return [
      record(0x03, framed(encodeRlp(header as RlpItem))),
      record(0x04, framed(encodeRlp(body))),
      record(0x05, framed(encodeRlp([]))),
      record(0x06, new Uint8Array(32)),
    ];
  });
  return Buffer.concat([version, ...records, record(0x07, new Uint8Array(32)), record(0x3266, new Uint8Array(24))]);
}

const bytes = fc.uint8Array({ maxLength: 300 });
const block = fc
  .tuple(fc.array(bytes, { minLength: 1 }), fc.array(bytes), fc.array(bytes))
  .map((items) => encodeRlp(items));

describe('readBlockFile', () => {
  test('returns the same blocks from RLP, gzip and era1', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 5 }), async (blocks) => {
        const expected = blocks.map((raw) => Buffer.from(raw));
        const plain = Buffer.concat(blocks);
        expect(await read(plain)).toEqual(expected);
        expect(await read(gzipSync(plain))).toEqual(expected);
        expect(await read(era1Of(blocks))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test('reads blocks longer than a snappy frame and a chunk of the stream', async () => {
    const long = encodeRlp([[new Uint8Array(40)], [new Uint8Array(700_000).fill(1)], []]);
    // The matcher of jest takes seconds for this many bytes.
    const areLong = (blocks: Buffer[]) => blocks.map((raw) => raw.equals(long));
    expect(areLong(await read(Buffer.concat([long, long])))).toEqual([true, true]);
    expect(areLong(await read(era1Of([long])))).toEqual([true]);
  });

  const small = encodeRlp([[Uint8Array.of(1)], [], []]);
  const era1 = era1Of([small]);
  test.each([
    ['RLP that ends within a block', small.slice(0, -1), /it ends in the middle of a record, at byte \d/],
    ['truncated gzip', gzipSync(small).subarray(0, -9), /it cannot be read to its end/],
    ['gzip with a flipped bit', flipped(gzipSync(small), 12), /cannot be imported/],
    ['bytes that are not an RLP list', Buffer.from('{"blocks":[]}'), /at byte 0 there is no RLP list/],
    ['a list followed by other bytes', Buffer.concat([small, Buffer.of(0x80)]), /there is no RLP list/],
    [
      'RLP that claims a length above the limit',
      Buffer.from('fbffffffff', 'hex'),
      /claims to be longer than 67108864 bytes/,
    ],
    ['RLP with a length of eight bytes', Buffer.from('ffffffffffffffffff', 'hex'), /claims to be longer/],
    ['era1 that ends within a record', era1.subarray(0, 30), /it ends in the middle of a record/],
    [
      'an era1 record that claims a length above the limit',
      Buffer.concat([version, head(0x03, 0xffffffff)]),
      /longer than/,
    ],
    ['an era1 body without a header', Buffer.concat([version, record(0x04, framed(small))]), /no header before it/],
    ['a truncated frame', Buffer.concat([version, record(3, frame(0, small).subarray(0, 6))]), /within a snappy frame/],
    ['a truncated frame header', Buffer.concat([version, record(3, Buffer.of(0, 1))]), /within a snappy frame/],
    ['a frame of unknown type', Buffer.concat([version, record(3, frame(2, small))]), /unknown type 2/],
    [
      'a frame that does not match its checksum',
      Buffer.concat([version, record(3, flipped(frame(1, Buffer.concat([checksum(small), small])), 9))]),
      /does not match its checksum/,
    ],
    ['a frame shorter than its checksum', Buffer.concat([version, record(3, frame(1, Buffer.of(1)))]), /checksum/],
    [
      'a frame that is not snappy',
      Buffer.concat([version, record(3, frame(0, Buffer.alloc(9, 0xff)))]),
      /does not decompress/,
    ],
  ])('refuses %s', async (_name, content, reason) => {
    await refused(content, reason);
  });

  test('refuses a small record that decompresses beyond the limit', async () => {
    const piece = new Uint8Array(65_536);
    const zeros = frame(0, Buffer.concat([checksum(piece), snappy.compress(piece)]));
    const frames = Buffer.concat([streamIdentifier, ...Array.from({ length: 1_100 }, () => zeros)]);
    await refused(Buffer.concat([version, record(3, frames)]), /decompresses to more than/);
  });

  test('closes the file when the reader stops early', async () => {
    const file = directory.write('blocks', Buffer.concat([small, small]));
    for await (const { position } of readBlockFile(file)) {
      expect(position).toBe(small.length);
      break;
    }
  });
});

function head(type: number, length: number): Buffer {
  const bytesOfHead = Buffer.alloc(8);
  bytesOfHead.writeUInt16LE(type, 0);
  bytesOfHead.writeUInt32LE(length, 2);
  return bytesOfHead;
}

function flipped(content: Buffer, at: number): Buffer {
  const copy = Buffer.from(content);
  copy[at] = (copy[at] ?? 0) ^ 0x10;
  return copy;
}
