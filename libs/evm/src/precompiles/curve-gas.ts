import type { ForkRules } from '../forks/fork-rules.ts';

type Gas = (data: Uint8Array, rules: ForkRules) => number;

/** Bytes of a pair of points on alt_bn128 (EIP-197). */
export const bn254PairBytes = 192;
/** Bytes of the inputs of EIP-2537: a pair of points, and a point with its factor. */
export const blsPairBytes = 384;
export const blsTermBytes = { G1: 160, G2: 288 } as const;

const count = (data: Uint8Array, bytes: number) => Math.floor(data.length / bytes);

/** EIP-196 and EIP-197, repriced by EIP-1108 in Istanbul. */
export const bn254Gas = {
  add: (_, { isIstanbul }) => (isIstanbul ? 150 : 500),
  multiply: (_, { isIstanbul }) => (isIstanbul ? 6000 : 40_000),
  pairing: (data, { isIstanbul }) => {
    const pairs = count(data, bn254PairBytes);
    return isIstanbul ? 45_000 + 34_000 * pairs : 100_000 + 80_000 * pairs;
  },
} as const satisfies Record<string, Gas>;

/** EIP-2537. */
export const blsGas = {
  addG1: () => 375,
  addG2: () => 600,
  multiplyG1: (data) => multiplicationGas(count(data, blsTermBytes.G1), 12_000, discountsG1),
  multiplyG2: (data) => multiplicationGas(count(data, blsTermBytes.G2), 22_500, discountsG2),
  pairing: (data) => 37_700 + 32_600 * count(data, blsPairBytes),
  mapG1: () => 5500,
  mapG2: () => 23_800,
} as const satisfies Record<string, Gas>;

function multiplicationGas(terms: number, each: number, discounts: readonly number[]): number {
  if (terms === 0) return 0;
  const discount = discounts[Math.min(terms, discounts.length) - 1] ?? 0;
  return Math.floor((terms * each * discount) / 1000);
}

// Discounts in thousandths, by the number of terms from 1 on; the last one holds for more terms (EIP-2537, "Discount table").
// biome-ignore format: a table
const discountsG1 = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677,
  673, 669, 665, 661, 658, 654, 651, 648, 645, 642, 640, 637, 635, 632, 630, 627,
  625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601, 599, 598,
  596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576,
  575, 574, 573, 572, 570, 569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559,
  558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545, 544,
  543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531,
  530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
];
// biome-ignore format: a table
const discountsG2 = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717,
  711, 704, 699, 693, 688, 683, 679, 674, 670, 666, 663, 659, 655, 652, 649, 646,
  643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611, 609, 607,
  606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582,
  580, 579, 578, 576, 575, 574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562,
  561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551, 550, 549, 548, 547,
  546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535,
  534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
];
