import { hexFromBytes } from '@cairn/block-model';
import type { EngineMessage, EngineStep, EngineTracer, FrameKind } from '@cairn/evm';
import { addressFromHex, addressHexFromWord, logOfStep, op, opcodeName } from '@cairn/evm';
import { type EVM, EVMError, type EVMResult, type InterpreterStep, type Message } from '@ethereumjs/evm';
import { bigIntToBytes, generateAddress, generateAddress2 } from '@ethereumjs/util';
import { haltReason } from './halt-reason.ts';

const callKinds: ReadonlyMap<number, FrameKind> = new Map<number, FrameKind>([
  [op.CREATE, 'CREATE'],
  [op.CALL, 'CALL'],
  [op.CALLCODE, 'CALLCODE'],
  [op.DELEGATECALL, 'DELEGATECALL'],
  [op.CREATE2, 'CREATE2'],
  [op.STATICCALL, 'STATICCALL'],
]);

const noBytes = new Uint8Array(0);

interface OpenFrame {
  readonly message: Message;
  /** Return data of the last call of this frame. */
  returnData: Uint8Array;
  /** Number of logs of the transaction when the frame began. */
  readonly logsBefore: number;
  /** Kind of the call or creation that this frame executes next. */
  pending: FrameKind | undefined;
}

/** Translates events of @ethereumjs/evm for a tracer. The returned function stops it. */
export function followEthereumjs(
  events: EVM['events'],
  { world, rules }: EngineMessage,
  tracer: EngineTracer,
): () => void {
  const frames: OpenFrame[] = [];
  let logs = 0;

  const step = (event: InterpreterStep) => {
    const { opcode, gasLeft, stack } = event;
    const frame = frames.at(-1);
    if (frame) frame.pending = callKinds.get(opcode.code);
    const cost = opcode.dynamicFee ?? BigInt(opcode.fee);
    const seen: EngineStep = {
      pc: event.pc,
      opcode: opcode.code,
      name: opcodeName(opcode.code),
      gas: gasLeft,
      gasCost: cost + handedOver(opcode.code, stack, gasLeft - cost, rules.isTangerineWhistle),
      depth: event.depth + 1,
      stack,
      memory: event.memory,
      refund: event.gasRefund,
      address: event.address.bytes,
      world,
      returnData: frame?.returnData ?? noBytes,
      error: undefined,
    };
    if (tracer.stepOpcodes?.has(seen.opcode) !== false) tracer.onStep?.(seen);
    const log = logOfStep(seen);
    if (log !== undefined) tracer.onLog?.(log, logs++);
    if (opcode.code === op.SELFDESTRUCT) endContract(seen);
  };
  const endContract = ({ address, stack, depth }: EngineStep) => {
    const to = addressFromHex(addressHexFromWord(stack.at(-1) ?? 0n));
    const value = world.getBalance(address);
    tracer.onEnter?.({ kind: 'SELFDESTRUCT', from: address, to, value, gas: 0n, input: noBytes, depth: depth + 1 });
    tracer.onExit?.({ gasUsed: 0n, output: noBytes, isReverted: false });
  };
  const enter = (message: Message) => {
    const kind = frames.at(-1)?.pending ?? (message.to ? 'CALL' : 'CREATE');
    frames.push({ message, pending: undefined, returnData: noBytes, logsBefore: logs });
    const isDelegate = kind === 'DELEGATECALL';
    tracer.onEnter?.({
      kind,
      from: isDelegate && message.to ? message.to.bytes : message.caller.bytes,
      to: message.to ? message.codeAddress.bytes : createdAddress(message, world.getNonce(message.caller.bytes) - 1n),
      value: kind === 'STATICCALL' ? undefined : message.value,
      gas: message.gasLimit,
      input: message.data,
      depth: message.depth + 1,
    });
  };
  const exit = ({ execResult }: EVMResult) => {
    const frame = frames.pop();
    if (frame === undefined) return;
    const { exceptionError, returnValue, executionGasUsed, runState } = execResult;
    const above = frames.at(-1);
    if (above !== undefined) above.returnData = frame.message.to ? returnValue : noBytes;
    if (exceptionError === undefined) {
      tracer.onExit?.({ gasUsed: executionGasUsed, output: returnValue, isReverted: false });
      return;
    }
    logs = frame.logsBefore;
    tracer.onFault?.(exceptionError.error);
    const { gasLimit, to, data } = frame.message;
    if (exceptionError.error === EVMError.errorMessages.REVERT && runState !== undefined) {
      if (above !== undefined) above.returnData = returnValue;
      const error = 'execution reverted';
      tracer.onExit?.({ gasUsed: executionGasUsed, output: returnValue, error, isReverted: true });
      return;
    }
    const error = haltReason(execResult, to && hexFromBytes(to.bytes), data);
    tracer.onExit?.({ gasUsed: gasLimit, output: noBytes, error, isReverted: true });
  };

  events.on('step', step);
  events.on('beforeMessage', enter);
  events.on('afterMessage', exit);
  return () => {
    events.off('step', step);
    events.off('beforeMessage', enter);
    events.off('afterMessage', exit);
  };
}

/** Returns the gas that a call passes to its new frame: the requested gas, at most all but a 64th of `left` (EIP-150). */
function handedOver(opcode: number, stack: readonly bigint[], left: bigint, isBounded: boolean): bigint {
  const kind = callKinds.get(opcode);
  if (kind === undefined || kind.startsWith('CREATE') || left < 0n) return 0n;
  const asked = stack.at(-1) ?? 0n;
  const most = isBounded ? left - left / 64n : asked;
  return asked < most ? asked : most;
}

function createdAddress({ caller, salt, data, code }: Message, nonce: bigint): Uint8Array {
  const initCode = code instanceof Uint8Array ? code : data;
  return salt ? generateAddress2(caller.bytes, salt, initCode) : generateAddress(caller.bytes, bigIntToBytes(nonce));
}
