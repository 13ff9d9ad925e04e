import {
  type BlobSidecar,
  blobHashOf,
  decodePooledTransaction,
  encodePooledTransaction,
  encodeTransaction,
  type Hex,
  hexFromBytes,
  keccak256,
  knownChainSpec,
  type PooledTransaction,
  signingHash,
  type Transaction,
} from '@cairn/block-model';
import { type ForkRules, forkRules } from '@cairn/evm';
import { describe, expect, test } from '@jest/globals';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { checkPooledSender, checkPooledTransaction, type PooledChain } from './check-pooled-transaction.ts';

const privateKey = new Uint8Array(32).fill(7);
const sender = hexFromBytes(keccak256(secp256k1.getPublicKey(privateKey, false).subarray(1)).subarray(12));
const mainnet = knownChainSpec('main', 'mainnet');
const rulesAt = (number: bigint, timestamp: bigint): ForkRules => forkRules(mainnet, { number, timestamp });
const osaka = rulesAt(24_000_000n, 1_766_000_000n);
const prague = rulesAt(22_431_085n, 1_746_612_312n);
const shanghai = rulesAt(17_100_000n, 1_681_338_456n);
const paris = rulesAt(15_537_394n, 1_663_224_179n);
const chain: PooledChain = { chainId: 1n, rules: osaka, gasLimit: 45_000_000n };
const to: Hex = `0x${'11'.repeat(20)}`;

type Fields = Partial<Omit<Transaction, 'hash' | 'raw'>>;

function signed(fields: Fields = {}, how: { readonly highS?: boolean } = {}): PooledTransaction {
  const { type = 2, chainId = 1n } = fields;
  const fees = type < 2 ? { gasPrice: 10n } : { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
  const whole = { type, nonce: 0n, gas: 50_000n, to, value: 0n, input: '0x' as Hex, ...fees, ...fields };
  const isLegacy = type === 0;
  const draft = decodePooledTransaction(
    encodeTransaction({ ...whole, ...(!isLegacy && { chainId }), v: isLegacy ? 35n + chainId * 2n : 0n, r: 1n, s: 1n }),
  ).transaction;
  const signature = secp256k1.sign(signingHash(draft), privateKey, { prehash: false, format: 'recovered' });
  const [recovery = 0] = signature;
  const r = BigInt(hexFromBytes(signature.subarray(1, 33)));
  const low = BigInt(hexFromBytes(signature.subarray(33)));
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = how.highS === true ? order - low : low;
  const parity = BigInt(how.highS === true ? 1 - recovery : recovery);
  const v = isLegacy ? 35n + chainId * 2n + parity : parity;
  return decodePooledTransaction(encodeTransaction({ ...whole, ...(!isLegacy && { chainId }), v, r, s }));
}

const check = (pooled: PooledTransaction, on: PooledChain = chain) =>
  checkPooledTransaction(pooled, encodePooledTransaction(pooled).length, on);
const refusal = (code: string, message: string) => expect.objectContaining({ code, message });

describe('checkPooledTransaction', () => {
  test.each([0, 1, 2, 4] as const)('accepts a valid transaction of type %s and returns its sender', (type) => {
    const authorization = { chainId: 1n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
    expect(check(signed({ type, ...(type === 4 && { authorizationList: [authorization] }) }))).toBe(sender);
  });

  test.each<[string, Fields, string]>([
    [
      'POOLED_FEE_ABOVE_CAP',
      { maxFeePerGas: 10n ** 18n, gas: 21_000n },
      'tx fee (21000.00 ether) exceeds the configured cap (1.00 ether)',
    ],
    [
      'POOLED_TOO_LARGE',
      { input: `0x${'00'.repeat(131_000)}` },
      'oversized data: transaction size 131106, limit 131072',
    ],
    [
      'POOLED_INITCODE_TOO_LARGE',
      { to: null, input: `0x${'00'.repeat(49_153)}` },
      'max initcode size exceeded: code size 49153 limit 49152',
    ],
    ['POOLED_GAS_TOO_HIGH', { gas: 16_777_217n }, 'transaction gas limit too high (cap: 16777216, tx: 16777217)'],
    ['POOLED_FEE_INVALID', { maxPriorityFeePerGas: 11n }, 'max priority fee per gas higher than max fee per gas'],
    ['POOLED_SENDER_INVALID', { chainId: 5n }, 'invalid sender: invalid chain id for signer: have 5 want 1'],
    ['POOLED_SENDER_INVALID', { type: 0, chainId: 5n }, 'invalid sender: invalid chain id for signer: have 5 want 1'],
    ['POOLED_NONCE_SPENT', { nonce: 2n ** 64n - 1n }, 'nonce has max value'],
    ['POOLED_GAS_TOO_LOW', { gas: 20_999n }, 'intrinsic gas too low: gas 20999, minimum needed 21000'],
    [
      'POOLED_GAS_TOO_LOW',
      { gas: 53_001n, to: null, input: '0x00' },
      'intrinsic gas too low: gas 53001, minimum needed 53006',
    ],
    [
      'POOLED_GAS_BELOW_FLOOR',
      { gas: 25_000n, input: `0x${'ff'.repeat(200)}` },
      'insufficient gas for floor data gas cost: gas 25000, minimum needed 29000',
    ],
    [
      'POOLED_AUTHORIZATIONS_INVALID',
      { type: 4, authorizationList: [] },
      'set code tx must have at least one authorization tuple',
    ],
  ])('refuses with %s', (code, fields, message) => {
    expect(() => check(signed(fields))).toThrow(refusal(code, message));
  });

  test('refuses a gas limit above that of the block', () => {
    const on = { ...chain, gasLimit: 40_000n };
    expect(() => check(signed(), on)).toThrow(refusal('POOLED_BLOCK_GAS_EXCEEDED', 'exceeds block gas limit'));
  });

  test('refuses types before their fork', () => {
    const texts = [
      [signed({ type: 4, authorizationList: [] }), shanghai, 'type 4 rejected, pool not yet in Prague'],
      [blobs(), shanghai, 'type 3 rejected, pool not yet in Cancun'],
      [signed(), rulesAt(12_244_000n, 0n), 'type 2 rejected, pool not yet in London'],
      [signed(), rulesAt(9_200_000n, 0n), 'type 2 rejected, pool not yet in Berlin'],
    ] as const;
    for (const [pooled, rules, text] of texts)
      expect(() => check(pooled, { ...chain, rules })).toThrow(
        refusal('POOLED_TYPE_UNSUPPORTED', `transaction type not supported: ${text}`),
      );
  });

  test('applies limits of forks only where they are active, and none where forks are unknown', () => {
    expect(check(signed({ gas: 20_000_000n }), { ...chain, rules: prague })).toBe(sender);
    const floored = signed({ gas: 25_000n, input: `0x${'ff'.repeat(200)}` });
    expect(check(floored, { ...chain, rules: shanghai })).toBe(sender);
    expect(
      check(signed({ to: null, gas: 2_000_000n, input: `0x${'00'.repeat(49_153)}` }), { ...chain, rules: paris }),
    ).toBe(sender);
    expect(check(signed({ gas: 20_000_000n }), { ...chain, rules: undefined })).toBe(sender);
  });

  test('refuses an unprotected transaction, a high s, and values outside the curve', () => {
    const { transaction } = signed({ type: 0 });
    const with_ = (fields: Fields) => decodePooledTransaction(encodeTransaction({ ...transaction, ...fields }));
    expect(() => check(with_({ v: 27n }))).toThrow(
      refusal('POOLED_UNPROTECTED', 'only replay-protected (EIP-155) transactions allowed over RPC'),
    );
    const invalid = refusal('POOLED_SENDER_INVALID', 'invalid sender: invalid transaction v, r, s values');
    expect(() => check(signed({}, { highS: true }))).toThrow(invalid);
    expect(() => check(signed({ type: 0 }, { highS: true }))).toThrow(invalid);
    for (const fields of [{ r: 0n }, { s: 0n }, { r: 2n ** 256n - 1n }])
      expect(() => check(with_(fields))).toThrow(invalid);
    const typed = signed().transaction;
    const parity = decodePooledTransaction(encodeTransaction({ ...typed, v: 2n }));
    expect(() => check(parity)).toThrow(invalid);
  });

  test('a changed bit is refused or recovers another sender', () => {
    const raw = signed().transaction.raw;
    fc.assert(
      fc.property(fc.nat(raw.length * 8 - 1), (at) => {
        const changed = Uint8Array.from(raw);
        changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
        try {
          expect(check(decodePooledTransaction(changed))).not.toBe(sender);
        } catch (error) {
          expect(String((error as { code?: unknown }).code)).toMatch(/^(POOLED_|DECODE_FAILED)/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Points that are not on the curve: proofs are verified elsewhere. */
const point = (seed: number) => new Uint8Array(48).fill(seed);
function sidecarOf(count: number, version: 0 | 1 = 1): BlobSidecar {
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  return {
    version,
    blobs: seeds.map(() => new Uint8Array(0)),
    commitments: seeds.map(point),
    proofs: Array.from({ length: count * (version === 1 ? 128 : 1) }, () => point(9)),
  };
}

function blobs(fields: Fields = {}, sidecar: BlobSidecar | undefined = sidecarOf(1)): PooledTransaction {
  const blobVersionedHashes = sidecar.commitments.map(blobHashOf);
  const { transaction } = signed({ type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes, ...fields });
  return { transaction, sidecar };
}

describe('checkPooledTransaction of blobs', () => {
  const refused = (pooled: PooledTransaction, message: string) =>
    expect(() => checkPooledTransaction(pooled, 1000, chain)).toThrow(refusal('POOLED_BLOBS_INVALID', message));

  test('accepts both versions of proofs', () => {
    for (const version of [0, 1] as const)
      expect(checkPooledTransaction(blobs({}, sidecarOf(6, version)), 1000, chain)).toBe(sender);
  });

  test('refuses what does not fit together', () => {
    const valid = sidecarOf(2);
    const { transaction } = blobs({}, valid);
    refused({ transaction }, 'missing sidecar in blob transaction');
    refused(blobs({ maxFeePerBlobGas: 0n }), 'transaction gas price below minimum: blob fee cap 0, minimum needed 1');
    refused({ transaction, sidecar: sidecarOf(1) }, 'invalid number of 1 blob commitments compared to 2 blob hashes');
    const swapped = { ...valid, commitments: [...valid.commitments].reverse() };
    refused(
      { transaction, sidecar: swapped },
      `blob 0: computed hash ${blobHashOf(point(2))} mismatches transaction one ${blobHashOf(point(1))}`,
    );
    refused(blobs({}, sidecarOf(7)), 'transaction blob limit exceeded: blob count 7, limit 6');
    refused(
      { transaction, sidecar: { ...valid, proofs: valid.proofs.slice(1) } },
      'Wrong sidecar format: invalid number of 255 blob proofs expected 256',
    );
    refused(
      { transaction, sidecar: { ...valid, blobs: valid.blobs.slice(1) } },
      'invalid number of 1 blobs compared to 2 commitments',
    );
    refused(blobs({}, sidecarOf(0)), 'blobless blob transaction');
    expect(() => checkPooledTransaction(blobs(), 1_048_577, chain)).toThrow(
      refusal('POOLED_TOO_LARGE', 'oversized data: transaction size 1048577, limit 1048576'),
    );
  });
});

describe('checkPooledSender', () => {
  test('uses the texts of geth for a low nonce and missing funds, including blobs', () => {
    const { transaction } = signed({ nonce: 4n, value: 5n });
    expect(() => checkPooledSender(transaction, { nonce: 5n, balance: 10n ** 18n })).toThrow(
      refusal('POOLED_NONCE_TOO_LOW', 'nonce too low: next nonce 5, tx nonce 4'),
    );
    expect(() => checkPooledSender(transaction, { nonce: 4n, balance: 500_004n })).toThrow(
      refusal(
        'POOLED_FUNDS_INSUFFICIENT',
        'insufficient funds for gas * price + value: balance 500004, tx cost 500005, overshot 1',
      ),
    );
    checkPooledSender(transaction, { nonce: 3n, balance: 500_005n });
    expect(() => checkPooledSender(transaction, undefined)).toThrow(
      expect.objectContaining({ code: 'POOLED_FUNDS_INSUFFICIENT' }),
    );
    const blob = blobs({ maxFeePerBlobGas: 2n }).transaction;
    const cost = 500_000n + 2n * 131_072n;
    checkPooledSender(blob, { nonce: 0n, balance: cost });
    expect(() => checkPooledSender(blob, { nonce: 0n, balance: cost - 1n })).toThrow(`tx cost ${cost}`);
  });
});
