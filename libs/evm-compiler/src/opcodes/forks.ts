/** Forks that add or reprice opcodes, in their order on mainnet. Forks between them change no opcode. */
export const opcodeForks = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'istanbul',
  'berlin',
  'london',
  'shanghai',
  'cancun',
  'osaka',
] as const;

export type OpcodeFork = (typeof opcodeForks)[number];
