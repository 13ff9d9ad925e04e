#!/usr/bin/env node
// node pairings.mjs [--rounds 9]: products of pairings on alt_bn128 and the check of the subgroup of G2, beside mcl in the same process.
import { parseArgs } from 'node:util';
import { Bn254Pairing } from '@cairn/evm-compiler/pairing';
import mcl from 'mcl-wasm';
import { middle } from './peers/report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
/** Runs of one measurement, whose fastest one counts. */
const runs = 40;

await mcl.init(mcl.BN_SNARK1);
mcl.verifyOrderG1(false);
mcl.verifyOrderG2(false);
const pairing = new Bn254Pairing();
const generators = {
  g1: pointOf(mcl.G1, '1 1 2'),
  g2: pointOf(
    mcl.G2,
    '1 10857046999023057135944570762232829481370756359578518086990519993285655852781 11559732032986387107991004021392285783925812861821192530917403151452391805634 8495653923123431417604973247489272438418190587263600148770280649306958101930 4082367875863433681332203403145435568316851327593401208105741076214120093531',
  ),
};

let factor = 1;
const next = () => {
  const scalar = new mcl.Fr();
  scalar.setInt(++factor);
  return scalar;
};
/** Pairs of points whose product of pairings is one: e(P, Q) e(-P, Q) as often as needed. */
const pairsOf = (count) =>
  Array.from({ length: count / 2 }, () => [mcl.mul(generators.g1, next()), mcl.mul(generators.g2, next())]).flatMap(
    ([p, q]) => [pairOf(p, q), pairOf(mcl.neg(p), q)],
  );

const rows = [2, 4].flatMap((count) => {
  const known = pairsOf(count);
  return [
    [`${count} pairs, points of G2 known`, () => known, isOneHere, isOneInMcl],
    [`${count} pairs, points of G2 new`, () => pairsOf(count), isOneHere, isOneInMcl],
  ];
});
rows.push([
  'check of the subgroup',
  () => pairsOf(2),
  ([{ ours }]) => pairing.isInSubgroup(ours.q),
  ([{ q }]) => q.isValidOrder(),
]);
for (const [name, make, here, there] of rows) {
  const ratios = [];
  const times = { here: [], there: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    const [ours, theirs] = [fastest(make, here, name), fastest(make, there, name)];
    ratios.push(theirs / ours);
    times.here.push(ours);
    times.there.push(theirs);
  }
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const [ours, theirs] = [middle(times.here), middle(times.there)].map((ms) => `${ms.toFixed(2)} ms`);
  console.log(`${name.padEnd(32)} ${ours}, mcl ${theirs}: ${middle(ratios).toFixed(2)} times as fast (${spread})`);
}

function isOneHere(pairs) {
  return pairing.isProductOne(pairs.map(({ ours }) => ours));
}

function isOneInMcl(pairs) {
  const product = pairs.map(({ p, q }) => mcl.millerLoop(p, q)).reduce((a, b) => mcl.mul(a, b));
  return mcl.finalExp(product).isOne();
}

/** Milliseconds of the fastest run. Inputs are made before the clock starts. */
function fastest(make, run, name) {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) {
    const input = make();
    const start = performance.now();
    if (run(input) !== true) throw new Error(`${name}: a wrong result.`);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function pointOf(Point, text) {
  const point = new Point();
  point.setStr(text, 10);
  return point;
}

function pairOf(p, q) {
  const [, px, py] = numbersOf(p);
  const [, xr, xi, yr, yi] = numbersOf(q);
  return {
    p,
    q,
    ours: {
      p: [px, py],
      q: [
        [xr, xi],
        [yr, yi],
      ],
    },
  };
}

function numbersOf(point) {
  return point.getStr(10).split(' ').map(BigInt);
}
