import type { EngineMessage } from '../call-engine.ts';
import type { Frame } from './frame.ts';
import { codeBytesMax, gas } from './gas.ts';
import { Halt, halts } from './halt.ts';

/**
 * Charges for the code that a creation returned and stores it (EIP-2, EIP-170, EIP-3541). Checks are in geth's order.
 * @returns the fault if the code is not stored
 */
export function deployCode(frame: Frame, { rules, world }: EngineMessage): Halt | undefined {
  const { output } = frame;
  if (output[0] === 0xef && rules.isLondon) return halts.invalidCode;
  const price = gas.codeByte * output.length;
  if (frame.gas < price) return halts.codeStoreOutOfGas;
  if (output.length > codeBytesMax && rules.isSpuriousDragon)
    return new Halt(`max code size exceeded: code size ${output.length} limit ${codeBytesMax}`);
  frame.gas -= price;
  if (output.length > 0) world.setCode(frame.address, output);
  return undefined;
}
