import { type ForkName, type Header, unclesHash } from '@cairn/block-model';

/** Blocks by which each fork delays the exponential part, latest fork first. */
const bombDelays: readonly (readonly [ForkName, bigint])[] = [
  ['grayGlacier', 11_400_000n], // EIP-5133
  ['arrowGlacier', 10_700_000n], // EIP-4345
  ['london', 9_700_000n], // EIP-3554
  ['muirGlacier', 9_000_000n], // EIP-2384
  ['constantinople', 5_000_000n], // EIP-1234
  ['byzantium', 3_000_000n], // EIP-649
];
const difficultyMin = 131_072n;
const boundDivisor = 2_048n;
/** Seconds within which a block raises the difficulty, before Homestead. */
const durationLimit = 13n;
const adjustmentMin = -99n;
/** Blocks after which the exponential part doubles. */
const bombPeriod = 100_000n;
const noUncles = unclesHash([]);

type TimedHeader = Pick<Header, 'number' | 'timestamp'>;
type ParentHeader = Pick<Header, 'timestamp' | 'difficulty' | 'unclesHash'>;

/** Computes the difficulty of a proof-of-work block (Yellow Paper, section 4.4.4; EIP-2, EIP-100). */
export function ethashDifficulty(header: TimedHeader, parent: ParentHeader, forks: ReadonlySet<ForkName>): bigint {
  const adjusted = parent.difficulty + (parent.difficulty / boundDivisor) * adjustment(header, parent, forks);
  const delay = bombDelays.find(([fork]) => forks.has(fork))?.[1] ?? 0n;
  const number = header.number > delay ? header.number - delay : 0n;
  const exponent = number / bombPeriod - 2n;
  const difficulty = exponent >= 0n ? adjusted + 2n ** exponent : adjusted;
  return difficulty > difficultyMin ? difficulty : difficultyMin;
}

function adjustment({ timestamp }: TimedHeader, parent: ParentHeader, forks: ReadonlySet<ForkName>): bigint {
  const seconds = timestamp - parent.timestamp;
  if (!forks.has('homestead') && !forks.has('byzantium')) return seconds < durationLimit ? 1n : -1n;
  const value = forks.has('byzantium') ? (parent.unclesHash === noUncles ? 1n : 2n) - seconds / 9n : 1n - seconds / 10n;
  return value > adjustmentMin ? value : adjustmentMin;
}
