import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buzhashBytes, buzhashTable, cutBuzhash } from './buzhash.ts';
import { createChunker } from './index.ts';
import { createRabinCut } from './rabin.ts';

/** Generates reproducible bytes without a pattern that influences a chunker. */
function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed | 1;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}

async function* pieces(bytes: Uint8Array, pieceBytes: number) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function lengths(notation: string, bytes: Uint8Array, pieceBytes: number) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of createChunker(notation)(pieces(bytes, pieceBytes))) chunks.push(chunk);
  expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
  return chunks.map(({ length }) => length);
}

describe('buzhash', () => {
  test('sets every bit in exactly half of the words of its table', () => {
    for (let bit = 0; bit < 32; bit++) {
      expect(buzhashTable.filter((word) => (word >>> bit) & 1)).toHaveLength(128);
    }
  });

  /** Computes the hash of the 32 bytes before `at` from its definition, without rolling. */
  function plainHash(bytes: Uint8Array, at: number): number {
    let state = 0;
    for (let back = 32; back > 0; back--) {
      state = ((state << 1) | (state >>> 31)) ^ (buzhashTable[bytes[at - back] ?? 0] ?? 0);
    }
    return state;
  }

  test.each([1, 2, 3])('cuts at the first cut point of the plain hash (content %i)', (seed) => {
    const bytes = noise(buzhashBytes.max, seed);
    let expected = buzhashBytes.min;
    while (expected < bytes.length && plainHash(bytes, expected) % 2 ** 17 !== 0) expected++;
    expect(cutBuzhash(bytes)).toBe(expected);
  });

  test.each([0, 1, buzhashBytes.min - 1, buzhashBytes.min])('returns %i bytes as one chunk', (length) => {
    expect(cutBuzhash(noise(length, 7))).toBe(length);
  });
});

describe('rabin', () => {
  /** Computes the remainder of the last 16 bytes as a polynomial, from its definition. */
  function plainFingerprint(bytes: Uint8Array, at: number): bigint {
    let rest = BigInt(`0x${Buffer.from(bytes.subarray(at - 16, at)).toString('hex')}`);
    for (let shift = 128; shift >= 0; shift--) {
      if ((rest >> BigInt(shift + 53)) & 1n) rest ^= 17437180132763653n << BigInt(shift);
    }
    return rest;
  }

  test('cuts at the first cut point of the plain fingerprint', () => {
    const bounds = fc.tuple(fc.integer({ min: 16, max: 60 }), fc.integer({ min: 1, max: 200 }), fc.nat({ max: 300 }));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bounds, (bytes, [min, average, extra]) => {
        const max = min + extra;
        const mask = BigInt(2 ** Math.floor(Math.log2(average)) - 1);
        const end = Math.min(bytes.length, max);
        let expected = Math.min(min, bytes.length);
        while (expected < end && (plainFingerprint(bytes, expected) & mask) !== 0n) expected++;
        expect(createRabinCut({ min, average, max })(bytes.subarray(0, max))).toBe(expected);
      }),
    );
  });
});

describe('createChunker', () => {
  test.each([
    'default',
    'size-1000',
    'rabin',
    'rabin-2048',
    'rabin-36-512-1024',
    'rabin-min:36-avg:512-max:1024',
    'buzhash',
  ])('%s cuts at the same places for every split of the input, and within its bounds', async (notation) => {
    const bytes = noise(1_300_000, 11);
    const whole = await lengths(notation, bytes, bytes.length);
    for (const pieceBytes of [997, 65_536, 700_001]) {
      expect(await lengths(notation, bytes, pieceBytes)).toEqual(whole);
    }
    expect(whole.length).toBeGreaterThan(1);
    expect(Math.min(...whole)).toBeGreaterThan(0);
    if (notation === 'rabin-36-512-1024') {
      expect(Math.min(...whole.slice(0, -1))).toBeGreaterThanOrEqual(36);
      expect(Math.max(...whole)).toBeLessThanOrEqual(1024);
    }
  });

  test('an insertion moves only the cuts near it', async () => {
    const bytes = noise(400_000, 5);
    const edited = Buffer.concat([bytes.subarray(0, 1000), Buffer.from('new'), bytes.subarray(1000)]);
    const before = await lengths('rabin-1024', bytes, 65_536);
    const after = await lengths('rabin-1024', edited, 65_536);
    expect(after.slice(-20)).toEqual(before.slice(-20));
  });

  test.each(['default', 'rabin', 'buzhash'])('%s yields no chunk for empty input', async (notation) => {
    expect(await lengths(notation, new Uint8Array(0), 1)).toEqual([]);
  });

  // Messages recorded from Kubo 0.42.0.
  test.each([
    ['rabin-1-2', "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'"],
    ['rabin-15-512-1024', 'rabin min must be greater than 16'],
    ['rabin-600-700-500', 'incorrect format: rabin-avg must be smaller than rabin-max'],
    ['rabin-16-0-32', 'incorrect format: rabin-min must be smaller than rabin-avg'],
    ['rabin-16-32-99999999', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['rabin-9999999', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['rabin-avg:36-min:512-max:1024', 'first label must be min'],
    ['rabinx', 'unrecognized chunker option: rabinx'],
    ['buzhashx', 'unrecognized chunker option: buzhashx'],
    ['nope', 'unrecognized chunker option: nope'],
    ['size', 'incorrect chunker string format (expected size-{size})'],
    ['size-1-2', 'incorrect chunker string format (expected size-{size})'],
    ['size-', 'strconv.Atoi: parsing "": invalid syntax'],
    ['size-x', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['size-0', 'chunker size must be greater than 0'],
    ['size-99999999', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['size-99999999999999999999', 'strconv.Atoi: parsing "99999999999999999999": value out of range'],
  ])("refuses %s with Kubo's message", (notation, message) => {
    expect(() => createChunker(notation)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message, details: { option: 'chunker' } }),
    );
  });

  test('accepts every notation that Kubo accepts', async () => {
    const bytes = noise(1000, 3);
    expect(await lengths('size-+600', bytes, 100)).toEqual([600, 400]);
    expect(await lengths('buzhash-1', bytes, 100)).toEqual([1000]);
    expect(await lengths('rabin-min:16-avg:32-max:64', bytes, 100)).toEqual(await lengths('rabin-16-32-64', bytes, 7));
    // Below the window of 16 bytes the lower bound wraps around in Kubo, which then never cuts.
    for (const notation of ['rabin-0', 'rabin-1', 'rabin-40'])
      expect(await lengths(notation, bytes, 100)).toEqual([1000]);
    await expect(lengths('rabin-1', new Uint8Array(2_097_152), 65_536)).rejects.toThrow('object size limit exceeded');
  });
});
