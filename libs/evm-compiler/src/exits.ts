/** Why compiled code stopped. The header says where. */
export const exits = {
  /** The opcode at `pc` is the host's, and opens a frame or ends this one; it is charged already. Go on behind it. */
  host: 0,
  /** What follows from `pc` on cannot run as a whole: gas or stack do not suffice, or the opcode does not exist. */
  interpret: 1,
  outOfGas: 2,
  /** A place in memory beyond 64 bits. */
  gasOverflow: 3,
  invalidJump: 4,
  stop: 5,
  /** A place in memory of 64 bits whose price has more. */
  priceOverflow: 6,
} as const;

/** What the function of a region returns where another one goes on. */
export const elsewhere = {
  /** With the block of the place that the header tells as `target`. */
  searched: -1,
  /** The block that a region is called with then: none that there is. */
  searchedBlock: 0x7fff_ffff,
  /** With a block that is known. */
  ofBlock: (block: number) => -2 - block,
} as const;
