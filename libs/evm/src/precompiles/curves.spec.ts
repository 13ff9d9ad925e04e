import { hexFromBytes } from '@cairn/block-model';
import { NobleBLS, NobleBN254 } from '@ethereumjs/evm';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { type Curves, curves } from './curves.ts';
import { BadPoint } from './pairing-curve.ts';

let ours: Curves;
beforeAll(async () => {
  ours = await curves();
});
const theirs = { bn254: new NobleBN254(), bls: new NobleBLS() };

const number = (value: bigint, bytes: number) => Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
const scalar = fc.oneof(
  fc.bigInt({ min: 0n, max: 3n }),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  fc.constantFrom(bn254.fields.Fr.ORDER, bls12_381.fields.Fr.ORDER, bls12_381.fields.Fr.ORDER - 1n),
);
/** Encoded multiple of the generator: zeros for the point at infinity. */
const multipleOf = {
  bn254: {
    G1: (factor: bigint) => {
      const point = bn254.G1.Point.BASE.multiplyUnsafe(factor % bn254.fields.Fr.ORDER);
      const { x, y } = point.toAffine();
      return point.is0() ? Buffer.alloc(64) : Buffer.concat([number(x, 32), number(y, 32)]);
    },
    G2: (factor: bigint) => {
      const point = bn254.G2.Point.BASE.multiplyUnsafe(factor % bn254.fields.Fr.ORDER);
      const { x, y } = point.toAffine();
      if (point.is0()) return Buffer.alloc(128);
      return Buffer.concat([x.c1, x.c0, y.c1, y.c0].map((part) => number(part, 32)));
    },
  },
  bls: {
    G1: (factor: bigint) => {
      const point = bls12_381.G1.Point.BASE.multiplyUnsafe(factor % bls12_381.fields.Fr.ORDER);
      const { x, y } = point.toAffine();
      return point.is0() ? Buffer.alloc(128) : Buffer.concat([number(x, 64), number(y, 64)]);
    },
    G2: (factor: bigint) => {
      const point = bls12_381.G2.Point.BASE.multiplyUnsafe(factor % bls12_381.fields.Fr.ORDER);
      const { x, y } = point.toAffine();
      if (point.is0()) return Buffer.alloc(256);
      return Buffer.concat([x.c0, x.c1, y.c0, y.c1].map((part) => number(part, 64)));
    },
  },
};

/** Encoded point of the curve of G2, with the first suitable x from a number on. Nearly all of them are outside the subgroup. */
const outsideOf = {
  bn254: (from: bigint) => {
    const { x, y } = pointOn(bn254.fields.Fp2, bn254.G2.Point.CURVE().b, from);
    return Buffer.concat([x.c1, x.c0, y.c1, y.c0].map((part) => number(part, 32)));
  },
  bls: (from: bigint) => {
    const { x, y } = pointOn(bls12_381.fields.Fp2, bls12_381.G2.Point.CURVE().b, from);
    return Buffer.concat([x.c0, x.c1, y.c0, y.c1].map((part) => number(part, 64)));
  },
};
function pointOn(field: typeof bn254.fields.Fp2, b: typeof field.ZERO, from: bigint) {
  for (let real = from; ; real++) {
    const x = field.fromBigTuple([real, 1n]);
    const square = field.add(field.mul(field.sqr(x), x), b);
    try {
      return { x, y: field.sqrt(square) };
    } catch {
      // No square.
    }
  }
}

/** The result, or the reason for its absence. */
const outcome = (work: (input: Uint8Array) => Uint8Array, input: Uint8Array) => {
  try {
    return hexFromBytes(work(input));
  } catch (error) {
    return error instanceof BadPoint ? 'bad point' : String((error as { readonly error?: string }).error);
  }
};
/** One bit of the input flipped, or none. Zeros stay: those before the coordinates of BLS12-381 are checked elsewhere. */
const flip = fc.option(fc.nat(), { freq: 3 });
const flipped = (input: Buffer, at: number | null) => {
  const places = [...input.keys()].filter((place) => input[place] !== 0);
  const place = places[(at ?? 0) % places.length];
  if (at !== null && place !== undefined) input.writeUInt8(input.readUInt8(place) ^ (1 << (at & 7)), place);
  return input;
};
const runs = { numRuns: 12 };

describe.each(['bn254', 'bls'] as const)('mcl and noble agree on %s', (name) => {
  const [curve, { G1, G2 }] = [theirs[name], multipleOf[name]] as const;
  const same = (method: string, input: Buffer) => {
    const call = (of: object) =>
      outcome((bytes) => (of as Record<string, (b: Uint8Array) => Uint8Array>)[method]?.(bytes) as Uint8Array, input);
    const [mine, reference] = [call(ours[name]), call(curve)];
    // noble does not always report the reason.
    expect(mine.startsWith('0x') ? mine : 'wrong').toBe(reference.startsWith('0x') ? reference : 'wrong');
  };

  test('sums', () => {
    const [g1, g2] = name === 'bn254' ? ['add', undefined] : ['addG1', 'addG2'];
    fc.assert(
      fc.property(scalar, scalar, flip, (a, b, at) => {
        if (g1) same(g1, flipped(Buffer.concat([G1(a), G1(b)]), at));
        if (g2) same(g2, flipped(Buffer.concat([G2(a), G2(b)]), at));
      }),
      runs,
    );
  });

  test('multiples', () => {
    const pairs = (max: number) => fc.array(fc.tuple(scalar, scalar), { minLength: 1, maxLength: max });
    fc.assert(
      fc.property(pairs(name === 'bn254' ? 1 : 4), flip, (factors, at) => {
        const input = (of: (factor: bigint) => Buffer) =>
          flipped(Buffer.concat(factors.flatMap(([a, b]) => [of(a), number(b, 32)])), at);
        if (name === 'bn254') same('mul', Buffer.concat([input(G1), Buffer.alloc(32)]));
        else {
          same('msmG1', input(G1));
          same('msmG2', input(G2));
        }
      }),
      runs,
    );
  });

  test('pairings', () => {
    const method = name === 'bn254' ? 'pairing' : 'pairingCheck';
    const order = name === 'bn254' ? bn254.fields.Fr.ORDER : bls12_381.fields.Fr.ORDER;
    fc.assert(
      fc.property(fc.array(fc.tuple(scalar, scalar), { maxLength: 2 }), fc.boolean(), flip, (factors, isOne, at) => {
        // e(aP, bQ) e(-abP, Q) = 1
        const sum = factors.reduce((total, [a, b]) => total + a * b, 0n) % order;
        const all: [bigint, bigint][] = [...factors, [isOne ? order - sum : 5n, 1n] as [bigint, bigint]];
        same(method, flipped(Buffer.concat(all.flatMap(([a, b]) => [G1(a), G2(b)])), at));
      }),
      runs,
    );
  });

  test('points of G2 outside the subgroup, also beside points that were checked before', () => {
    const method = name === 'bn254' ? 'pairing' : 'pairingCheck';
    const inside = Buffer.concat([G1(3n), G2(5n)]);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 250n }), fc.boolean(), (from, isKnown) => {
        if (isKnown) same(method, inside);
        const outside = Buffer.concat([G1(3n), outsideOf[name](from)]);
        same(method, outside);
        expect(outcome(name === 'bn254' ? ours.bn254.pairing : ours.bls.pairingCheck, outside)).toBe('bad point');
        same(method, Buffer.concat([inside, outside]));
      }),
      { numRuns: 4 },
    );
  });

  test('inputs of more than one batch', () => {
    const count = 70;
    const points = Array.from({ length: count }, (_, index) => G1(BigInt(index)));
    if (name === 'bls') same('msmG1', Buffer.concat(points.flatMap((point) => [point, number(3n, 32)])));
    const order = name === 'bn254' ? bn254.fields.Fr.ORDER : bls12_381.fields.Fr.ORDER;
    const last = G1(order - BigInt((count * (count - 1)) / 2));
    const input = Buffer.concat([...points, last].flatMap((point) => [point, G2(1n)]));
    const isOne = name === 'bn254' ? ours.bn254.pairing : ours.bls.pairingCheck;
    expect(BigInt(hexFromBytes(isOne(input)))).toBe(1n);
    expect(BigInt(hexFromBytes(isOne(input.subarray(0, -(last.length + G2(1n).length)))))).toBe(0n);
  });
});

test('mcl and noble map field elements to the same points of BLS12-381', () => {
  const element = fc.bigInt({ min: 0n, max: bls12_381.fields.Fp.ORDER + 5n });
  fc.assert(
    fc.property(element, element, (a, b) => {
      const [first, second] = [number(a, 64), number(b, 64)];
      const isSame = (mine: string, reference: string) =>
        mine === reference || (!mine.startsWith('0x') && !reference.startsWith('0x'));
      const g1 = [outcome(ours.bls.mapFPtoG1, first), outcome((input) => theirs.bls.mapFPtoG1(input), first)] as const;
      const both = Buffer.concat([first, second]);
      const g2 = [outcome(ours.bls.mapFP2toG2, both), outcome((input) => theirs.bls.mapFP2toG2(input), both)] as const;
      expect([g1, g2].filter(([mine, reference]) => !isSame(mine, reference))).toEqual([]);
    }),
    { numRuns: 10 },
  );
});
