import { createHash } from 'node:crypto';
import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { kzg, prepareKzg } from '@cairn/block-model/kzg';
import { createMemoryState } from '@cairn/block-model/testing';
import { createInterpreterEngine, forkRules, StateCache, WorldState } from '@cairn/evm';
import { commonFromChainSpec, createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { createEVM, type EVM, getActivePrecompiles, NobleBN254 } from '@ethereumjs/evm';
import { describe, expect, test } from '@jest/globals';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { specAt, type TestFork, testForks } from '../test-chain.fixture.ts';

await prepareKzg();

const testBlock = {
  number: 1n,
  timestamp: 1000n,
  gasLimit: 30_000_000n,
  coinbase: `0x${'cc'.repeat(20)}`,
  difficulty: 0n,
  prevRandao: `0x${'00'.repeat(32)}`,
} as const;
const rulesAt = (fork: TestFork) => forkRules(specAt(fork, { chainId: 1 }), { number: 1n, timestamp: 1000n });

type Fork = 'byzantium' | 'istanbul' | 'berlin' | 'prague' | 'osaka';

const engine = createInterpreterEngine(createEthereumjsEngine());
const reference = new Map<Fork, Promise<EVM>>();

/** EVM of @ethereumjs, whose precompiles are the oracle. */
function referenceOf(fork: Fork): Promise<EVM> {
  let evm = reference.get(fork);
  if (evm === undefined) {
    const common = commonFromChainSpec(specAt(fork, { chainId: 1 }));
    common.setHardfork(rulesAt(fork).hardfork);
    evm = createEVM({ common, bn254: new NobleBN254() });
    reference.set(fork, evm);
  }
  return evm;
}

/** Executes a precompile as a message does. */
async function call(fork: Fork, address: Hex, data: Uint8Array, gas: number) {
  const outcome = await engine.run({
    rules: rulesAt(fork),
    block: testBlock,
    world: new WorldState(StateCache.of(createMemoryState({}))),
    blockHash: () => undefined,
    sender: new Uint8Array(20).fill(0xaa),
    to: bytesFromHex(address),
    value: 0n,
    data,
    gas: BigInt(gas),
    gasPrice: 0n,
    blobVersionedHashes: [],
    warm: [],
    precompiles: { removed: new Set(), moved: new Map() },
  });
  const isFault = outcome.kind !== 'success';
  const gasUsed = isFault ? 0 : Number(outcome.gasUsed);
  return { result: { isFault, gasUsed, output: hexFromBytes(outcome.output) }, reason: outcome.reason };
}

/** Expects the same output, gas and failure as in @ethereumjs/evm. */
async function expectSame(fork: Fork, number: number, data: Uint8Array, gas: number) {
  const evm = await referenceOf(fork);
  const address: Hex = `0x${number.toString(16).padStart(40, '0')}`;
  const precompile = evm.precompiles.get(address.slice(2));
  if (precompile === undefined) throw new Error(`${fork} has no precompile at ${address}.`);
  const theirs = await precompile({ data, gasLimit: BigInt(gas), common: evm.common, _EVM: evm });
  const isFault = theirs.exceptionError !== undefined;
  const { result, reason } = await call(fork, address, data, gas);
  expect(result).toEqual({
    isFault,
    gasUsed: isFault ? 0 : Number(theirs.executionGasUsed),
    output: isFault ? '0x' : hexFromBytes(theirs.returnValue),
  });
  return { ...result, reason };
}

const word = (value: bigint, bytes = 32) => Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
const enough = 10_000_000;

test.each(testForks)('the precompiles of %s are those of @ethereumjs/evm', (fork) => {
  const common = commonFromChainSpec(specAt(fork, { chainId: 1 }));
  common.setHardfork(rulesAt(fork).hardfork);
  expect([...rulesAt(fork).precompiles].sort()).toEqual(
    [...getActivePrecompiles(common).keys()].map((key) => `0x${key}`).sort(),
  );
});

describe('precompiles agree with @ethereumjs/evm', () => {
  const ofPrague = Array.from({ length: 0x11 }, (_, index) => index + 1);
  test.each([...ofPrague, 0x100])('precompile %i, for random bytes and gas', async (number) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), fc.nat(60_000), async (data, gas) => {
        await expectSame('osaka', number, data, gas);
      }),
      { numRuns: 60 },
    );
  });

  test.each(['byzantium', 'istanbul', 'berlin', 'prague', 'osaka'] as const)('MODEXP, in %s', async (fork) => {
    const length = fc.oneof(fc.bigInt(0n, 70n), fc.constantFrom(0n, 32n, 33n, 1024n, 1025n, 2n ** 64n, 2n ** 255n));
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(length, length, length),
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(200_000),
        async ([base, exponent, modulus], rest, gas) => {
          await expectSame(fork, 5, Buffer.concat([word(base), word(exponent), word(modulus), rest]), gas);
        },
      ),
    );
  });

  test('BLAKE2F, for inputs of its length', async () => {
    const input = (rounds: number, rest: Uint8Array, flag: number) => {
      const bytes = Buffer.alloc(213);
      bytes.writeUInt32BE(rounds);
      bytes.set(rest, 4);
      bytes[212] = flag;
      return bytes;
    };
    const rest = fc.uint8Array({ minLength: 208, maxLength: 208 });
    await fc.assert(
      fc.asyncProperty(fc.nat(60), rest, fc.integer({ min: 0, max: 2 }), async (rounds, bytes, flag) => {
        await expectSame('prague', 9, input(rounds, bytes, flag), 50);
      }),
    );
    // More rounds than one call into WebAssembly computes.
    const long = await expectSame('prague', 9, input(40_013, new Uint8Array(208).fill(7), 1), 50_000);
    expect(long).toMatchObject({ isFault: false, gasUsed: 40_013 });
  });

  test.each(['byzantium', 'istanbul'] as const)('alt_bn128, for points and pairs of points, in %s', async (fork) => {
    const g1 = (factor: bigint) => {
      const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine();
      return Buffer.concat([word(x), word(y)]);
    };
    const { x, y } = bn254.G2.Point.BASE.toAffine();
    const g2 = Buffer.concat([x.c1, x.c0, y.c1, y.c0].map((part) => word(part)));
    const pairs = Buffer.concat([g1(2n), g2, g1(bn254.fields.Fr.ORDER - 2n), g2]);
    for (const data of [Buffer.concat([g1(2n), g1(3n)]), g1(5n), Buffer.alloc(0), Buffer.alloc(200, 1)])
      await expectSame(fork, 6, data, enough);
    for (const data of [Buffer.concat([g1(2n), word(7n)]), g1(5n)]) await expectSame(fork, 7, data, enough);
    expect(await expectSame(fork, 8, pairs, enough)).toMatchObject({ output: hexFromBytes(word(1n)) });
    expect(await expectSame(fork, 8, pairs.subarray(1), enough)).toMatchObject({ isFault: true });
    expect(await expectSame(fork, 8, pairs, 79_000)).toMatchObject({ isFault: true });
  });

  test('BLS12-381, for points, terms and pairs of points', async () => {
    const g1 = (factor: bigint) => {
      const { x, y } = bls12_381.G1.Point.BASE.multiply(factor).toAffine();
      return Buffer.concat([word(x, 64), word(y, 64)]);
    };
    const { x, y } = bls12_381.G2.Point.BASE.toAffine();
    const g2 = Buffer.concat([x.c0, x.c1, y.c0, y.c1].map((part) => word(part, 64)));
    const terms = (count: number, point: Buffer) =>
      Buffer.concat(Array.from({ length: count }, (_, index) => [point, word(BigInt(index + 2))]).flat());
    const pairs = Buffer.concat([g1(2n), g2, g1(bls12_381.fields.Fr.ORDER - 2n), g2]);
    const same = (number: number, data: Buffer) => expectSame('prague', number, data, enough);
    await same(0x0b, Buffer.concat([g1(2n), g1(3n)]));
    for (const count of [0, 1, 2, 3, 130]) await same(0x0c, terms(count, g1(3n)));
    await same(0x0d, Buffer.concat([g2, g2]));
    for (const count of [0, 1, 2]) await same(0x0e, terms(count, g2));
    for (const data of [pairs, pairs.subarray(384), pairs.subarray(1), Buffer.alloc(0)]) await same(0x0f, data);
    await same(0x10, word(5n, 64));
    await same(0x11, Buffer.concat([word(5n, 64), word(6n, 64)]));
    for (const data of [word(5n, 63), Buffer.alloc(64, 1)]) await same(0x10, data);
    const padded = Buffer.concat([g1(2n), g1(3n)]);
    padded[3] = 1;
    expect(await same(0x0b, padded)).toMatchObject({ reason: 'invalid field element top bytes' });
  });

  test('P256VERIFY, for valid and invalid signatures and points off the curve', async () => {
    const secret = new Uint8Array(32).fill(7);
    const hash = createHash('sha256').update('message').digest();
    const publicKey = p256.getPublicKey(secret, false).subarray(1);
    const signature = p256.sign(hash, secret, { prehash: false, lowS: false });
    const input = Buffer.concat([hash, signature, publicKey]);
    expect(await expectSame('osaka', 0x100, input, enough)).toMatchObject({ output: hexFromBytes(word(1n)) });
    for (let at = 0; at < 160; at += 7) {
      const wrong = Buffer.from(input);
      wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
      expect(await expectSame('osaka', 0x100, wrong, enough)).toMatchObject({ output: '0x', isFault: false });
    }
    for (const part of [32, 64, 96, 128]) {
      const zeros = Buffer.from(input).fill(0, part, part + 32);
      const ones = Buffer.from(input).fill(0xff, part, part + 32);
      for (const wrong of [zeros, ones]) await expectSame('osaka', 0x100, wrong, enough);
    }
    const atInfinity = Buffer.from(input).fill(0, 96);
    await expectSame('osaka', 0x100, atInfinity, enough);
  });

  test('KZG_POINT_EVALUATION, for the zero polynomial and invalid inputs', async () => {
    const infinity = Buffer.alloc(48);
    infinity[0] = 0xc0;
    const hash = createHash('sha256').update(infinity).digest();
    hash[0] = 1;
    const input = Buffer.concat([hash, word(9n), word(0n), infinity, infinity]);
    expect(
      kzg().verifyProof(hexFromBytes(infinity), hexFromBytes(word(9n)), hexFromBytes(word(0n)), hexFromBytes(infinity)),
    ).toBe(true);
    const same = async (change: (bytes: Buffer) => void) => {
      const changed = Buffer.from(input);
      change(changed);
      return (await expectSame('prague', 0x0a, changed, enough)).reason;
    };
    expect(await same(() => undefined)).toBeUndefined();
    expect(await same((bytes) => bytes.fill(1, 95, 96))).toMatch(/can't verify opening proof/);
    expect(await same((bytes) => bytes.fill(0xff, 32, 64))).toMatch(/scalar is not canonical/);
    expect(await same((bytes) => bytes.fill(0, 0, 1))).toBe('mismatched versioned hash');
    expect(await same((bytes) => bytes.fill(3, 150, 170))).toMatch(/can't verify opening proof/);
    expect((await expectSame('prague', 0x0a, input.subarray(1), enough)).reason).toBe('invalid input length');
  });
});
