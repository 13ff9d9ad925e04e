import { type Header, type Hex, knownChainSpec, makeHeader, parseGethGenesis, unclesHash } from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/evm-ethereumjs';
import { type BlockHeader, createBlockHeaderFromRLP } from '@ethereumjs/block';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ethashDifficulty } from './ethash-difficulty.ts';
import { HeaderRules } from './header-rules.ts';

const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;
const headerOf = (fields: Partial<Header>): Header =>
  makeHeader({
    parentHash: zeros(32),
    unclesHash: unclesHash([]),
    miner: zeros(20),
    stateRoot: zeros(32),
    transactionsRoot: zeros(32),
    receiptsRoot: zeros(32),
    logsBloom: zeros(256),
    difficulty: 0n,
    number: 1n,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 12n,
    extraData: '0x',
    mixHash: zeros(32),
    nonce: zeros(8),
    ...fields,
  });

const mainnet = knownChainSpec('main', 'mainnet');
const rules = new HeaderRules(mainnet);
const common = commonFromChainSpec(mainnet);

function referenceOf(header: Header): BlockHeader {
  common.setHardforkBy({ blockNumber: header.number, timestamp: header.timestamp });
  return createBlockHeaderFromRLP(header.raw, { common, setHardfork: false });
}

describe('ethashDifficulty', () => {
  test('equals the difficulty of @ethereumjs/block in every fork of mainnet except London', () => {
    // In London @ethereumjs/block delays the exponential part by 9,500,000 blocks, but EIP-3554 and geth by 9,700,000.
    const number = fc.oneof(
      fc.bigInt(1n, 12_964_999n),
      fc.bigInt(13_773_000n, 15_500_000n),
      fc.constantFrom(1_150_000n, 4_370_000n, 7_280_000n, 9_200_000n, 13_773_000n, 15_050_000n),
    );
    fc.assert(
      fc.property(
        number,
        fc.bigInt(1n, 2_000n),
        fc.bigInt(131_072n, 2n ** 54n),
        fc.boolean(),
        (height, seconds, difficulty, hasUncles) => {
          // Any base fee is valid here: only the difficulty is compared.
          const fee = (at: bigint) => (at >= 12_965_000n ? { baseFeePerGas: 1_000_000_000n } : {});
          const parent = headerOf({
            number: height - 1n,
            timestamp: 1_000n,
            difficulty,
            ...fee(height - 1n),
            ...(hasUncles && { unclesHash: zeros(32) }),
          });
          const extraData = height >= 1_920_000n && height < 1_920_010n ? '0x64616f2d686172642d666f726b' : '0x';
          const header = headerOf({ number: height, timestamp: 1_000n + seconds, extraData, ...fee(height) });
          const { forks } = rules.checked(header);
          // The fork of the parent does not change its fields, and its number may belong to another fork.
          const reference = referenceOf(header);
          common.setHardforkBy({ blockNumber: height, timestamp: 0n });
          const expected = reference.ethashCanonicalDifficulty({
            timestamp: parent.timestamp,
            difficulty: parent.difficulty,
            uncleHash: Buffer.from(parent.unclesHash.slice(2), 'hex'),
          } as unknown as BlockHeader);
          expect(ethashDifficulty(header, parent, forks)).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('delays the exponential part by 9,700,000 blocks in London (EIP-3554)', () => {
    const parent = headerOf({ number: 12_999_999n, timestamp: 1_000n, difficulty: 2n ** 40n, baseFeePerGas: 7n });
    const header = headerOf({ number: 13_000_000n, timestamp: 1_009n, baseFeePerGas: 7n });
    // (13,000,000 - 9,700,000) / 100,000 - 2 = 31; a time of nine seconds and no uncles leave the rest unchanged.
    expect(ethashDifficulty(header, parent, rules.checked(header).forks)).toBe(2n ** 40n + 2n ** 31n);
  });
});

describe('HeaderRules', () => {
  const poW = {
    parent: headerOf({ number: 9n, timestamp: 100n, difficulty: 2n ** 30n, gasLimit: 1_000_000n }),
    child: (fields: Partial<Header>) => {
      const draft = headerOf({ number: 10n, timestamp: 113n, gasLimit: 1_000_000n, ...fields });
      const difficulty = ethashDifficulty(draft, poW.parent, new Set());
      return headerOf({ number: 10n, timestamp: 113n, difficulty, gasLimit: 1_000_000n, ...fields });
    },
  };
  const check = (child: Header) => rules.validate(rules.checked(child), rules.checked(poW.parent));

  test('accept a child of its parent', () => {
    expect(() => check(poW.child({}))).not.toThrow();
    expect(() => check(poW.child({ gasLimit: 1_000_975n }))).not.toThrow();
  });

  test.each<[string, Partial<Header>, RegExp]>([
    ['a wrong number', { number: 11n }, /its number is 11, not 10/],
    ['the timestamp of its parent', { timestamp: 100n }, /its timestamp 100 is not above its parent's 100/],
    ['a wrong difficulty', { difficulty: 5n }, /its difficulty is 5, not/],
    ['a gas limit that rises too fast', { gasLimit: 1_000_976n }, /differs from its parent's 1000000 by 976 or more/],
    ['a gas limit that falls too fast', { gasLimit: 999_024n }, /differs from its parent's 1000000 by 976 or more/],
    ['a gas limit over 2^63 - 1', { gasLimit: 2n ** 63n }, /its gasLimit 9223372036854775808 is above/],
    ['more gas used than its limit', { gasUsed: 1_000_001n }, /its gasUsed 1000001 is above its gasLimit 1000000/],
    ['extra data over 32 bytes', { extraData: zeros(33) }, /its extraData has 33 bytes, more than 32/],
    ['a base fee before London', { baseFeePerGas: 7n }, /it has a baseFeePerGas, which no block of chainstart has/],
  ])('refuse %s', (_name, fields, message) => {
    expect(() => check(poW.child(fields))).toThrow(message);
  });

  test('require the extra data of the DAO fork in its first ten blocks', () => {
    const at = (number: bigint, extraData: Hex) => () => rules.checked(headerOf({ number, extraData, difficulty: 1n }));
    expect(at(1_920_000n, '0x')).toThrow(/its extraData is 0x, not 0x64616f2d686172642d666f726b/);
    expect(at(1_920_009n, '0x')).toThrow(/extraData/);
    expect(at(1_920_009n, '0x64616f2d686172642d666f726b')).not.toThrow();
    expect(at(1_920_010n, '0x')).not.toThrow();
  });

  test.each<[string, Partial<Header>, RegExp]>([
    ['a nonce', { nonce: '0x0000000000000001' }, /its nonce is/],
    ['a difficulty', { difficulty: 1n }, /its difficulty is 1, not 0/],
    ['uncles', { unclesHash: zeros(32) }, /its unclesHash is/],
  ])('refuse %s after the merge', (_name, fields, message) => {
    const header = headerOf({ number: 16_000_000n, baseFeePerGas: 7n, ...fields });
    expect(() => rules.checked(header)).toThrow(message);
  });

  test('check the seal of chains with signers (EIP-225)', () => {
    const config = { chainId: 5, homesteadBlock: 0, clique: { period: 15, epoch: 30 } };
    const { spec } = parseGethGenesis('clique', {
      config,
      difficulty: '0x1',
      gasLimit: '0x1c9c380',
      nonce: '0x0',
      timestamp: '0x0',
      alloc: {},
    });
    const seals = new HeaderRules(spec);
    const at =
      (number: bigint, bytes: number, fields: Partial<Header> = {}) =>
      () =>
        seals.checked(headerOf({ number, difficulty: 2n, extraData: zeros(bytes), ...fields }));
    expect(at(29n, 97)).not.toThrow();
    expect(at(29n, 117)).toThrow(/has 117 bytes, not 97/);
    expect(at(30n, 117)).not.toThrow();
    expect(at(30n, 118)).toThrow(/no list of signers/);
    expect(at(30n, 117, { miner: `0x${'11'.repeat(20)}` })).toThrow(/its miner is/);
    expect(at(29n, 97, { mixHash: `0x${'11'.repeat(32)}` })).toThrow(/its mixHash is/);
  });
});
