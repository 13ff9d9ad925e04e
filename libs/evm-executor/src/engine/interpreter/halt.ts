/** The end of a frame that takes all its gas, in geth's words (core/vm/errors.go). Thrown without a trace of the stack. */
export class Halt {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export const halts = {
  outOfGas: new Halt('out of gas'),
  gasOverflow: new Halt('gas uint64 overflow'),
  writeProtection: new Halt('write protection'),
  returnDataOutOfBounds: new Halt('return data out of bounds'),
  invalidJump: new Halt('invalid jump destination'),
  initCodeTooLarge: new Halt('max initcode size exceeded'),
  codeTooLarge: new Halt('max code size exceeded'),
  codeStoreOutOfGas: new Halt('contract creation code storage out of gas'),
  invalidCode: new Halt('invalid code: must not begin with 0xef'),
  addressCollision: new Halt('contract address collision'),
  insufficientBalance: new Halt('insufficient balance for transfer'),
} as const;
