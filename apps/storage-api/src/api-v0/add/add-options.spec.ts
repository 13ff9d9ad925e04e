import { describe, expect, test } from '@jest/globals';
import { parseOptions } from '../options.ts';
import { parsePartMetadata } from '../part-metadata.ts';
import { addOptions, entryMetadata, treeOptions } from './add-options.ts';

const chosen = (query: string) => parseOptions(addOptions, new URLSearchParams(query));
const settings = {} as Parameters<typeof treeOptions>[1];

describe('entryMetadata', () => {
  const part = parsePartMetadata('mode=020000000755&mtime=1');

  test('takes mode and time of a part only with preserve-mode and preserve-mtime', () => {
    expect(entryMetadata(chosen(''), part)).toEqual({});
    expect(entryMetadata(chosen('preserve-mode=true'), part)).toEqual({ mode: 0o755 });
    expect(entryMetadata(chosen('preserve-mtime=true'), part)).toEqual({ mtime: { seconds: 1 } });
  });

  test('prefers mode and time of the request, where they are not 0', () => {
    expect(entryMetadata(chosen('preserve-mode=true&mode=0600'), part)).toEqual({});
    expect(entryMetadata(chosen('preserve-mode=true&mode=0'), part)).toEqual({ mode: 0o755 });
    expect(entryMetadata(chosen('preserve-mtime=true&mtime=9'), part)).toEqual({});
  });
});

describe('treeOptions', () => {
  test.each([
    ['mode=0644', { mode: 0o644, rawLeaves: false }],
    ['mode=644', { mode: 0o204, rawLeaves: false }],
    ['mode=01777', { mode: 0o777 }],
    ['mode=0&mtime=0', { mode: undefined, mtime: undefined }],
    ['mtime=7&mtime-nsecs=5&cid-version=1', { mtime: { seconds: 7, nanoseconds: 5 }, rawLeaves: false, cidVersion: 1 }],
    ['preserve-mode=true&cid-version=1', { rawLeaves: false }],
    ['raw-leaves=true&mode=0', { rawLeaves: true }],
    ['hash=SHA3', { hash: 'sha3-512' }],
    ['cid-version=0x1', { cidVersion: 1 }],
    ['inline-limit=500', { inline: false }],
    ['inline=true&inline-limit=-1', { inline: false }],
    ['s=size-2&t=1&w=1', { chunker: 'size-2', layout: 'trickle', wrap: true }],
    ['empty-dirs=false', { emptyDirectories: false }],
  ])('of %s are those of Kubo', (query, expected) => {
    expect(treeOptions(chosen(query), settings)).toMatchObject(expected);
  });

  test('treeOptions ignores a negative CID version', () => {
    for (const query of ['cid-version=-1', 'cid-version=-5', 'cid-version=-1&hash=sha2-512'])
      expect(treeOptions(chosen(query), settings).cidVersion).toBeUndefined();
  });

  // Recorded from Kubo 0.42.0, which answers them with 500.
  test.each([
    ['only-hash=true&to-files=/x', 'only-hash and to-files options are not compatible'],
    ['w=true&to-files=/x', 'wrap-with-directory and to-files options are not compatible'],
    ['pin=false&pin-name=x', 'pin-name option requires pin to be set'],
    ['only-hash=true&pin-name=x', 'pin-name option requires pin to be set'],
    [`pin-name=${'x'.repeat(256)}`, 'pin name is 256 bytes (max 255 bytes)'],
    ['mtime-nsecs=5', 'option "mtime-nsecs" requires "mtime" to be provided as well'],
    ['mtime=1&mtime-nsecs=1000000000', 'mtime nanoseconds must be in range [1, 999999999]'],
    ['inline=true&inline-limit=129', 'inline-limit 129 exceeds maximum allowed size of 128 bytes'],
    ['max-hamt-fanout=7', 'HAMT fanout must be a power of 2, between 8 and 1024 (got 7)'],
    ['max-hamt-fanout=2048', 'HAMT fanout must be a power of 2, between 8 and 1024 (got 2048)'],
    ['max-hamt-fanout=-8', 'HAMT fanout must be a power of 2, between 8 and 1024 (got -8)'],
    ['raw-leaves=true&mode=0644', "raw-leaves can't be used with UnixFS metadata like mode or modification time"],
    ['raw-leaves=1&preserve-mtime=1', "raw-leaves can't be used with UnixFS metadata like mode or modification time"],
    ['nocopy=true&raw-leaves=false', "nocopy option requires '--raw-leaves' to be enabled as well"],
    ['cid-version=3', 'unknown CID version: 3'],
    ['cid-version=-5&hash=sha2-512', 'unknown CID version: -5'],
    ['hash=nope', 'unrecognized hash function: "nope"'],
    ['hash=constructor', 'unrecognized hash function: "constructor"'],
    ['hash=md5', 'potentially insecure hash functions not allowed'],
    ['hash=blake2b-128', 'potentially insecure hash functions not allowed'],
    ['hash=x11', 'invalid cid: unknown multihash code 4352 (0x1100): no such hash registered'],
  ])('refuse %s in the words of Kubo', (query, message) => {
    expect(() => treeOptions(chosen(query), settings)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});
