/** Reasons for which compiled code stops. The header has the code offset. */
export const exits = {
  /** The opcode at `pc` opens or ends a frame: the host runs it. Its gas is charged already. Continue after it. */
  host: 0,
  /** The block at `pc` cannot run as a whole: too little gas, a stack fault, or an opcode that the fork does not have. */
  interpret: 1,
  outOfGas: 2,
  /** A memory offset beyond 64 bits. */
  gasOverflow: 3,
  invalidJump: 4,
  stop: 5,
  /** A 64-bit memory offset whose price exceeds 64 bits. */
  priceOverflow: 6,
} as const;

export type Exit = (typeof exits)[keyof typeof exits];

/** Results of a region's function that continue in another region. They are negative; {@link exits} are not. */
export const elsewhere = {
  /** Continue with the block at the code offset in the header's `target`. */
  searched: -1,
  /** Block number that makes a region search for `target`. No block has it. */
  searchedBlock: 0x7fff_ffff,
  /** Continue with a known block. */
  ofBlock: (block: number) => -2 - block,
} as const;
