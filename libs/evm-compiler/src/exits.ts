/** Why compiled code stopped. The header says where. */
export const exits = {
  /** The opcode at `pc` is the host's, and opens a frame or ends this one; it is charged already. Go on behind it. */
  host: 0,
  /** What follows from `pc` on cannot run as a whole: gas or stack do not suffice, or the opcode does not exist. */
  interpret: 1,
  outOfGas: 2,
  /** A place in memory that no gas counts. */
  gasOverflow: 3,
  invalidJump: 4,
  stop: 5,
} as const;
