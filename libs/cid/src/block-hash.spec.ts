import { expect, test } from '@jest/globals';
import { blockHashFromCid, cidFor, cidFromBlockHash, parseCid } from './index.ts';

// Ethereum mainnet, block 0.
const genesis = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3';
const invalid = (reason: string) =>
  expect.objectContaining({ code: 'CID_INVALID', message: expect.stringContaining(reason) });

test('cidFromBlockHash creates an eth-block CID with keccak-256, and blockHashFromCid reverses it', () => {
  const cid = cidFromBlockHash(genesis);
  expect(Buffer.from(cid.bytes).toString('hex')).toBe(`0190011b20${genesis.slice(2)}`);
  const bytes = blockHashFromCid(parseCid(cid.toString()));
  expect(`0x${Buffer.from(bytes).toString('hex')}`).toBe(genesis);
  expect(cidFromBlockHash(bytes).equals(cid)).toBe(true);
});

test.each(['', '0x', genesis.slice(2), `${genesis}00`, genesis.replace('d4', 'g4')])(
  'cidFromBlockHash refuses "%s"',
  (text) => {
    expect(() => cidFromBlockHash(text)).toThrow(invalid('expected 0x and 64 hexadecimal digits'));
  },
);

test('bytes of another length and CIDs of other content are refused', () => {
  expect(() => cidFromBlockHash(new Uint8Array(31))).toThrow(invalid('32 bytes, not 31'));
  const bytes = new Uint8Array(10);
  expect(() => blockHashFromCid(cidFor(bytes, { codec: 'raw', hash: 'keccak-256' }))).toThrow(
    invalid('Ethereum block'),
  );
  expect(() => blockHashFromCid(cidFor(bytes, { codec: 'eth-block' }))).toThrow(invalid('Ethereum block'));
});
