import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { RLP } from '@ethereumjs/rlp';
import { createTx } from '@ethereumjs/tx';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Block,
  blockFromJson,
  blockToJson,
  decodeBlock,
  decodeBlockHeader,
  decodeTransaction,
  encodeBlock,
  encodeBody,
  type Hex,
  hexFromBytes,
  joinBlock,
  senderOf,
  transactionFromJson,
  transactionToJson,
  verifyBlock,
} from './index.ts';
import { kzg, prepareKzg } from './kzg/index.ts';
import { signingHash } from './sender.ts';
import { conformanceDirectory, hasConformanceCases, recordedExchanges } from './testing/index.ts';

await prepareKzg();

const withCases = hasConformanceCases ? describe : describe.skip;

function conformanceChain(): Block[] {
  const file = readFileSync(join(conformanceDirectory, 'execution-apis/chain.rlp'));
  const blocks: Block[] = [];
  for (let rest: Uint8Array = file; rest.length > 0; ) {
    const { remainder } = RLP.decode(rest, true);
    blocks.push(decodeBlock(rest.subarray(0, rest.length - remainder.length)));
    rest = remainder;
  }
  return blocks;
}

withCases('the 54-block conformance chain', () => {
  test('verifyBlock accepts every block, and encodeBlock returns the bytes that were decoded', () => {
    const blocks = conformanceChain();
    expect(blocks).toHaveLength(54);
    for (const [index, block] of blocks.entries()) {
      verifyBlock(block);
      if (index > 0) expect(block.header.parentHash).toBe(blocks[index - 1]?.header.hash);
      const raw = encodeBlock(block);
      expect(decodeBlock(raw)).toEqual(block);
      expect(decodeBlock(raw, decodeBlockHeader(raw))).toEqual(block);
      expect(joinBlock(block.header, encodeBody(block))).toEqual(block);
    }
    expect(new Set(blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type)))).toEqual(
      new Set([0, 1, 2, 3, 4]),
    );
  });

  test('blockToJson and transactionToJson return the recorded JSON', () => {
    const blocks = new Map(conformanceChain().map((block) => [block.header.hash, block]));
    const byNumber = [...blocks.values()];
    let compared = 0;
    for (const folder of ['execution-apis/eth_getBlockByHash', 'execution-apis/eth_getBlockByNumber']) {
      for (const { request, response } of recordedExchanges(folder)) {
        const [id, full] = request.params as [Hex, boolean];
        const block = blocks.get(id) ?? byNumber[Number(id) - 1];
        if (!block || !response.result) continue;
        expect(blockToJson(block, { full })).toEqual(response.result);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(1);
    const mined = recordedExchanges('execution-apis/eth_getTransactionByHash').filter(
      ({ response }) => response.result,
    );
    for (const { response } of mined) {
      const expected = response.result as { blockHash: Hex; transactionIndex: Hex };
      const block = blocks.get(expected.blockHash);
      const index = Number(expected.transactionIndex);
      const transaction = block?.transactions[index];
      if (!block || !transaction) throw new Error('the chain does not contain the recorded transaction');
      expect(transactionToJson(transaction, { header: block.header, index })).toEqual(expected);
      expect(transactionFromJson(transactionToJson(transaction, { header: block.header, index }))).toEqual(transaction);
    }
    expect(mined.length).toBeGreaterThan(1);
  });

  test('verifyBlock refuses a block with any one bit flipped', () => {
    const block = conformanceChain().find(({ transactions }) => transactions.length > 2);
    if (!block) throw new Error('no block with transactions');
    const bytes = encodeBlock(block);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const corrupt = bytes.slice();
        corrupt[at] = (corrupt[at] ?? 0) ^ (1 << bit);
        expect(() => verifyBlock(decodeBlock(corrupt), block.header.hash)).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^(BLOCK_CORRUPT|DECODE_FAILED)$/) }),
        );
      }),
      { numRuns: 300 },
    );
  });
});

withCases('recent mainnet blocks', () => {
  test.each(['block24476000', 'block24476001', 'block24476005'])(
    '%s recomputes to its hash, roots and size',
    (name) => {
      const content = JSON.parse(readFileSync(join(conformanceDirectory, `mainnet/${name}.json`), 'utf8'));
      const json = content.result ?? content;
      const block = blockFromJson(json);
      verifyBlock(block, json.hash);
      expect(block.size).toBe(Number(json.size));
      expect(block.transactions.map(senderOf)).toEqual(
        json.transactions.map(({ from }: { from: string }) => from.toLowerCase()),
      );
    },
  );
});

describe('transactions', () => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Bpo2, customCrypto: { kzg: kzg() } });
  const privateKey = new Uint8Array(32).fill(7);
  const to = `0x${'11'.repeat(20)}` as const;
  const bigint = (max: bigint) => fc.bigInt({ min: 0n, max });
  const shared = {
    nonce: bigint(2n ** 60n),
    gasLimit: fc.constant(10_000_000n),
    value: bigint(2n ** 200n),
    data: fc.uint8Array({ maxLength: 50 }),
  };
  const accessList = fc.constantFrom([], [{ address: to, storageKeys: [`0x${'22'.repeat(32)}` as const] }]);
  const fees = { maxFeePerGas: fc.constant(100n), maxPriorityFeePerGas: bigint(100n) };
  const authorizationList = [{ chainId: '0x1', address: to, nonce: '0x5', yParity: '0x1', r: '0x2', s: '0x3' }];
  const kinds = [
    fc.record({ type: fc.constant(0), gasPrice: bigint(2n ** 60n), to: fc.constantFrom(to, undefined), ...shared }),
    fc.record({
      type: fc.constant(1),
      chainId: fc.constant(1n),
      gasPrice: bigint(2n ** 60n),
      to: fc.constantFrom(to, undefined),
      accessList,
      ...shared,
    }),
    fc.record({
      type: fc.constant(2),
      chainId: fc.constant(1n),
      to: fc.constantFrom(to, undefined),
      accessList,
      ...fees,
      ...shared,
    }),
    fc.record({
      type: fc.constant(3),
      chainId: fc.constant(1n),
      to: fc.constant(to),
      accessList,
      maxFeePerBlobGas: bigint(2n ** 60n),
      blobVersionedHashes: fc.constant([`0x01${'33'.repeat(31)}` as const]),
      ...fees,
      ...shared,
    }),
    fc.record({
      type: fc.constant(4),
      chainId: fc.constant(1n),
      to: fc.constant(to),
      accessList,
      authorizationList: fc.constant(authorizationList),
      ...fees,
      ...shared,
    }),
  ];

  test('have the hash and sender of the reference, for every type', () => {
    fc.assert(
      fc.property(fc.oneof(...kinds), (data) => {
        const reference = createTx(data as Parameters<typeof createTx>[0], { common }).sign(privateKey);
        const transaction = decodeTransaction(reference.serialize());
        expect(transaction.type).toBe(data.type);
        expect(transaction.hash).toBe(hexFromBytes(reference.hash()));
        expect(hexFromBytes(signingHash(transaction))).toBe(hexFromBytes(reference.getHashedMessageToSign()));
        expect(senderOf(transaction)).toBe(reference.getSenderAddress().toString());
        expect(transaction.value).toBe(data.value);
      }),
      { numRuns: 60 },
    );
  });

  test('random bytes fail with a typed error only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(0, 1, 2, 3, 4, 0xf8), (bytes, first) => {
        for (const decode of [decodeTransaction, decodeBlock]) {
          expect(() => decode(Uint8Array.of(first, ...bytes))).toThrow(
            expect.objectContaining({ code: 'DECODE_FAILED' }),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});
