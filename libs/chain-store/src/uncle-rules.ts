import { type Block, type Header, type Hex, unclesHash } from '@cairn/block-model';

/** Largest number of uncles of a block (Yellow Paper, section 11.1). */
const unclesMax = 2;
/** Generations of ancestors that are searched for parents of uncles. */
const generationsMax = 7;
const noUncles = unclesHash([]);

/** Parts of an ancestor that the uncle rules read. */
export type Ancestor = Pick<Block, 'header' | 'uncles'>;

/** Input of an uncle check. */
export interface UncleCheck {
  readonly block: Ancestor;
  /** Finds a block by its hash; undefined below the genesis. */
  readonly ancestor: (hash: Hex) => Ancestor | undefined;
  /** Checks the header of an uncle against its parent. @throws Error naming the broken rule */
  readonly validate: (uncle: Header, parent: Header) => void;
}

/**
 * Checks the uncles of a block (Yellow Paper, section 11.1): at most two, each a valid child of one of the six ancestors before
 * the parent, neither an ancestor nor already included.
 * @throws Error naming the broken rule
 */
export function validateUncles({ block, ancestor, validate }: UncleCheck): void {
  const { header, uncles } = block;
  if (uncles.length > unclesMax) throw new Error(`it has ${uncles.length} uncles, more than ${unclesMax}`);
  if (uncles.length === 0) return;
  const ancestors = new Map<Hex, Header>();
  const named = new Set<Hex>();
  let hash = header.parentHash;
  for (let generation = 0; generation < generationsMax; generation++) {
    const found = ancestor(hash);
    if (found === undefined) break;
    ancestors.set(hash, found.header);
    if (found.header.unclesHash !== noUncles) for (const uncle of found.uncles) named.add(uncle.hash);
    hash = found.header.parentHash;
  }
  for (const uncle of uncles) {
    if (named.has(uncle.hash)) throw new Error(`its uncle ${uncle.hash} is named by a block before or twice`);
    named.add(uncle.hash);
    if (ancestors.has(uncle.hash)) throw new Error(`its uncle ${uncle.hash} is its ancestor`);
    const parent = ancestors.get(uncle.parentHash);
    if (parent === undefined || uncle.parentHash === header.parentHash)
      throw new Error(
        `the parent ${uncle.parentHash} of its uncle ${uncle.hash} is not an ancestor within 6 generations`,
      );
    try {
      validate(uncle, parent);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it is not valid';
      throw new Error(`its uncle ${uncle.hash} is not valid: ${reason}`, { cause: error });
    }
  }
}
