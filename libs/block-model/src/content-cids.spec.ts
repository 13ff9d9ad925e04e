import { blockHashFromCid, verifyBytes } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import { expect, test } from '@jest/globals';
import { contentCids } from './content-cids.ts';
import { makeHeader } from './header.ts';
import { bytesFromHex, type Hex } from './hex.ts';

const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;

test('contentCids returns CIDs that verify the bytes of header, uncles and trie roots', () => {
  const header = makeHeader({
    parentHash: zeros(32),
    unclesHash: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: zeros(20),
    stateRoot: `0x${'11'.repeat(32)}`,
    transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    receiptsRoot: `0x${'22'.repeat(32)}`,
    logsBloom: zeros(256),
    difficulty: 1n,
    number: 7n,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1n,
    extraData: '0x',
    mixHash: zeros(32),
    nonce: zeros(8),
  });
  const cids = contentCids(header);
  verifyBytes(cids.header, header.raw);
  verifyBytes(cids.uncles, encodeRlp([]));
  verifyBytes(cids.transactions, encodeRlp(new Uint8Array(0)));
  expect(Buffer.from(blockHashFromCid(cids.header))).toEqual(Buffer.from(bytesFromHex(header.hash)));
  expect([cids.header, cids.uncles, cids.transactions, cids.receipts, cids.state].map(({ code }) => code)).toEqual([
    0x90, 0x91, 0x92, 0x94, 0x96,
  ]);
});
