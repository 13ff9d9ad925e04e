import {
  type ChainSpec,
  type ForkName,
  type ForkSchedule,
  forkAt,
  forkSchedule,
  forksIncluded,
  type Header,
  nextBaseFee,
  nextExcessBlobGas,
  unclesHash,
} from '@cairn/block-model';
import { checkCliqueSeal } from './clique-rules.ts';
import { ethashDifficulty } from './ethash-difficulty.ts';

/** A header with the forks that are active in its block. */
export interface CheckedHeader {
  readonly header: Header;
  readonly fork: ForkName;
  readonly forks: ReadonlySet<ForkName>;
}

/** Largest gas limit (EIP-1985). */
const gasLimitMax = 2n ** 63n - 1n;
const gasLimitMin = 5_000n;
/** A gas limit differs from its parent's by less than 1/1,024 of the latter (Yellow Paper, section 4.4.4). */
const gasLimitDivisor = 1_024n;
/** The first block with a base fee may have twice the gas limit of its parent (EIP-1559). */
const elasticity = 2n;
const initialBaseFee = 1_000_000_000n;
const extraDataBytesMax = 32;
/** `dao-hard-fork`, the required extra data of the first ten blocks of the DAO fork. */
const daoExtraData = '0x64616f2d686172642d666f726b';
const daoBlocks = 10n;
const noUncles = unclesHash([]);
const zeroNonce = `0x${'00'.repeat(8)}`;

/** Checks headers of one chain against their parents (Yellow Paper, section 4.4.4; EIP-1559, 3675, 4844, 7918). */
export class HeaderRules {
  readonly #schedule: ForkSchedule;
  readonly #cliqueEpoch: bigint | undefined;
  readonly #included = new Map<ForkName, ReadonlySet<ForkName>>();

  constructor(spec: ChainSpec) {
    this.#schedule = forkSchedule(spec);
    this.#cliqueEpoch = cliqueEpochOf(spec);
  }

  /** Determines the forks of a header. @throws Error when its fields do not match its fork */
  checked(header: Header): CheckedHeader {
    const fork = forkAt(this.#schedule, header);
    let forks = this.#included.get(fork);
    if (forks === undefined) {
      forks = forksIncluded(this.#schedule, fork);
      this.#included.set(fork, forks);
    }
    const checked = { header, fork, forks };
    if (header.number > 0n) this.#checkFormat(checked);
    return checked;
  }

  /**
   * Checks a header against its parent. Proof of work is not checked: the next block or the caller confirms each block's hash.
   * @throws Error that names the rule and the values
   */
  validate(candidate: CheckedHeader, { header: parent }: CheckedHeader): void {
    const { header, forks } = candidate;
    hold('number', header.number, parent.number + 1n);
    if (header.timestamp <= parent.timestamp)
      throw new Error(`its timestamp ${header.timestamp} is not above its parent's ${parent.timestamp}`);
    validateFields(candidate);
    if (forks.has('paris')) hold('difficulty', header.difficulty, 0n);
    else if (this.#cliqueEpoch === undefined)
      hold('difficulty', header.difficulty, ethashDifficulty(header, parent, forks));
    const isFirstWithBaseFee = this.#startsAt('london', header.number);
    validateGasLimit(header, isFirstWithBaseFee ? parent.gasLimit * elasticity : parent.gasLimit);
    if (header.gasUsed > header.gasLimit)
      throw new Error(`its gasUsed ${header.gasUsed} is above its gasLimit ${header.gasLimit}`);
    if (forks.has('london'))
      hold('baseFeePerGas', header.baseFeePerGas, isFirstWithBaseFee ? initialBaseFee : nextBaseFee(parent));
    const blobs = this.#blobsOf(forks);
    if (forks.has('cancun') && blobs !== undefined)
      hold(
        'excessBlobGas',
        header.excessBlobGas,
        nextExcessBlobGas(parent, {
          blobsTarget: blobs.target,
          blobsMax: blobs.max,
          blobFeeUpdateFraction: blobs.feeUpdateFraction,
          isOsaka: forks.has('osaka'),
        }),
      );
  }

  /** Checks the rules that do not depend on the parent. */
  #checkFormat({ header, forks }: CheckedHeader): void {
    const extraBytes = header.extraData.length / 2 - 1;
    if (forks.has('paris')) {
      hold('unclesHash', header.unclesHash, noUncles);
      hold('difficulty', header.difficulty, 0n);
      hold('nonce', header.nonce, zeroNonce);
    }
    if (this.#cliqueEpoch !== undefined && !forks.has('paris')) checkCliqueSeal(header, this.#cliqueEpoch);
    else if (extraBytes > extraDataBytesMax)
      throw new Error(`its extraData has ${extraBytes} bytes, more than ${extraDataBytesMax}`);
    const dao = this.#blockOf('dao');
    if (dao !== undefined && header.number >= dao && header.number < dao + daoBlocks && forks.has('dao'))
      hold('extraData', header.extraData, daoExtraData);
  }

  /** Reports whether a block is the first of a fork that begins after the genesis. */
  #startsAt(fork: ForkName, number: bigint): boolean {
    return number > 0n && this.#blockOf(fork) === number;
  }

  #blockOf(fork: ForkName): bigint | undefined {
    return this.#schedule.forks.find(({ name }) => name === fork)?.block;
  }

  /** Returns the blob counts of the last included fork that defines them. */
  #blobsOf(forks: ReadonlySet<ForkName>) {
    const named = [...forks].map((name) => this.#schedule.blobs[name]);
    return named.filter((blobs) => blobs !== undefined).at(-1);
  }
}

function hold(field: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`its ${field} is ${actual}, not ${expected}`);
}

function validateGasLimit({ gasLimit }: Header, parentGasLimit: bigint): void {
  if (gasLimit > gasLimitMax) throw new Error(`its gasLimit ${gasLimit} is above ${gasLimitMax}`);
  const step = parentGasLimit / gasLimitDivisor;
  if (gasLimit >= parentGasLimit + step || gasLimit <= parentGasLimit - step)
    throw new Error(`its gasLimit ${gasLimit} differs from its parent's ${parentGasLimit} by ${step} or more`);
  if (gasLimit < gasLimitMin) throw new Error(`its gasLimit ${gasLimit} is below ${gasLimitMin}`);
}

/** Header fields that forks added, each with its EIP. */
const addedFields = [
  ['baseFeePerGas', 'london', 1559],
  ['withdrawalsRoot', 'shanghai', 4895],
  ['blobGasUsed', 'cancun', 4844],
  ['excessBlobGas', 'cancun', 4844],
  ['parentBeaconBlockRoot', 'cancun', 4788],
  ['requestsHash', 'prague', 7685],
] as const;

/** Checks that a header has exactly the fields of its fork. @throws Error */
function validateFields({ header, fork, forks }: CheckedHeader): void {
  for (const [field, since, eip] of addedFields) {
    const isRequired = forks.has(since);
    if (isRequired && header[field] === undefined) throw new Error(`its ${field} is missing (EIP-${eip})`);
    if (!isRequired && header[field] !== undefined)
      throw new Error(`it has a ${field}, which no block of ${fork} has (EIP-${eip})`);
  }
}

/** Default number of blocks between two lists of signers (EIP-225). */
const cliqueEpochDefault = 30_000;

/** Returns the epoch of a chain with signers (EIP-225); `undefined` for other chains. */
function cliqueEpochOf(spec: ChainSpec): bigint | undefined {
  if ('known' in spec) return undefined;
  const { clique } = spec.genesis.config as {
    readonly clique?: { readonly epoch?: number; readonly epochlength?: number };
  };
  return clique && BigInt(clique.epoch ?? clique.epochlength ?? cliqueEpochDefault);
}
