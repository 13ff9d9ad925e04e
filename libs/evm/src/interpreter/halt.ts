/** A fault that ends a frame and uses all its gas. Reasons are geth's (core/vm/errors.go). Not an Error: it needs no stack trace. */
export class Halt {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export const halts = {
  outOfGas: new Halt('out of gas'),
  gasOverflow: new Halt('gas uint64 overflow'),
  depth: new Halt('max call depth exceeded'),
  nonceOverflow: new Halt('nonce uint64 overflow'),
  /** Write in a static frame, detected when the opcode runs. */
  writeProtection: new Halt('write protection'),
  // geth detects these while it computes a price, and prefixes them.
  pricedOutOfGas: new Halt('out of gas: out of gas'),
  pricedOverflow: new Halt('out of gas: gas uint64 overflow'),
  pricedWriteProtection: new Halt('out of gas: write protection'),
  sentry: new Halt('out of gas: not enough gas for reentrancy sentry'),
  returnDataOutOfBounds: new Halt('return data out of bounds'),
  invalidJump: new Halt('invalid jump destination'),
  codeStoreOutOfGas: new Halt('contract creation code storage out of gas'),
  invalidCode: new Halt('invalid code: must not begin with 0xef'),
  addressCollision: new Halt('contract address collision'),
  insufficientBalance: new Halt('insufficient balance for transfer'),
  /** Input of a precompile on OP-stack chains (op-geth, core/vm/contracts.go). */
  inputTooLong: new Halt('bad elliptic curve pairing input size'),
} as const;
