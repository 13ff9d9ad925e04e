/** Parity's error texts by geth's. The last four are those of the draft of execution-apis: Parity had none for them. */
const words: ReadonlyMap<string, string> = new Map([
  ['execution reverted', 'Reverted'],
  ['gas uint64 overflow', 'Out of gas'],
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas: write protection', 'Mutable Call In Static Context'],
  ['write protection', 'Mutable Call In Static Context'],
  ['invalid jump destination', 'Bad jump destination'],
  ['return data out of bounds', 'Out of bounds'],
  ['invalid code: must not begin with 0xef', 'Invalid code'],
  ['contract address collision', 'Contract address collision'],
  ['nonce uint64 overflow', 'Nonce overflow'],
  ['insufficient balance for transfer', 'Insufficient balance for transfer'],
  ['max call depth exceeded', 'Max call depth exceeded'],
]);
const starts: readonly (readonly [start: string, word: string])[] = [
  ['out of gas', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['max initcode size exceeded', 'Out of gas'],
  ['invalid opcode', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
  ['stack limit reached', 'Out of stack'],
];

/** Converts the error of a frame to Parity's words. @param isPrecompile the frame is a call of a precompile */
export function parityError(error: string, isPrecompile: boolean): string {
  const exact = words.get(error);
  if (exact !== undefined) return exact;
  const word = starts.find(([start]) => error.startsWith(start))?.[1];
  return word ?? (isPrecompile ? 'Built-in failed' : error);
}

/** Errors of calls and creations that open no frame. */
export const refusals: ReadonlySet<string> = new Set([
  'max call depth exceeded',
  'insufficient balance for transfer',
  'nonce uint64 overflow',
  'contract address collision',
]);
