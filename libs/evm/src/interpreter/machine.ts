import { bytesFromHex } from '@cairn/block-model';
import { op } from '@cairn/evm-compiler/opcodes';
import { compareBytes } from '@cairn/platform';
import type { EngineMessage } from '../call-engine.ts';
import { gasBudgetExceeded } from '../gas-budget.ts';
import type { Precompile, PrecompileResult, Precompiles } from '../precompiles/precompiles.ts';
import { type Address, addressFromHex, wordFromAddress } from '../state/addresses.ts';
import { delegationOf } from '../state/delegation.ts';
import { emptyCodeHash } from '../state/world-state.ts';
import { Analysis, analysisOf } from './analysis.ts';
import { ClockGuard } from './clock-guard.ts';
import { create2Address, createAddress } from './create-address.ts';
import { deployCode } from './deploy-code.ts';
import { Frame } from './frame.ts';
import { gas, type StoragePrices } from './gas.ts';
import { Halt, halts } from './halt.ts';
import type { Callee, CallOptions, CreateOptions, Frames, MachineRules } from './machine-types.ts';
import { Substate } from './substate.ts';

const noBytes = new Uint8Array(0);
const depthMax = 1024;
const nonceMax = 2n ** 64n - 1n;

/** An open frame, and the snapshot to which a failure reverts. */
interface Running {
  frame: Frame;
  readonly snapshot: ReturnType<Substate['snapshot']>;
}

/** Creates frames that are only interpreted. */
const interpretedFrames: Frames = { make: (options) => new Frame(options) };

/** Runs one message. Frames are in a list, so that 1,024 nested calls do not nest in JavaScript. */
export class Machine {
  readonly message: EngineMessage;
  readonly clockGuard: ClockGuard;
  readonly substate: Substate;
  readonly storage: StoragePrices;
  readonly destroyRefund: number;
  readonly isMerged: boolean;
  readonly #precompiles: Precompiles;
  readonly #stacks: bigint[][];
  readonly #frames: Frames;
  readonly #running: Running[] = [];
  /** The running frame has called a frame or a precompile, and must wait. */
  isWaiting = false;
  /** Pending result of an asynchronous precompile. */
  pending: Promise<void> | undefined;
  /** Result of the message. */
  ended:
    | { readonly gas: number; readonly output: Uint8Array; readonly halt?: Halt; readonly isReverted: boolean }
    | undefined;
  /**
   * Runs opcodes that need the machine in place of `runHostOpcode`. It is the same function for all messages: with a closure for
   * each, the garbage collector kept the objects of all messages until its next full run. @returns whether the frame has ended
   */
  observe: ((opcode: number, frame: Frame, machine: Machine) => boolean) | undefined;
  /** Frontier only: the message could not pay for the code of its contract. It fails, and its changes stay (EIP-2). */
  isCodeUnpaid = false;

  constructor(message: EngineMessage, rules: MachineRules, stacks: bigint[][], frames = interpretedFrames) {
    this.#frames = frames;
    this.message = message;
    this.clockGuard = new ClockGuard(message, this.#running);
    this.substate = new Substate(rules.precompiles.addresses);
    this.storage = rules.storage;
    this.destroyRefund = rules.destroyRefund;
    this.isMerged = rules.isMerged;
    this.#precompiles = rules.precompiles;
    this.#stacks = stacks;
    for (const { address, storageKeys } of message.warm) {
      const bytes = addressFromHex(address);
      this.substate.accessWasCold(wordFromAddress(bytes));
      for (const slot of storageKeys) message.world.warmSlot(bytes, bytesFromHex(slot));
    }
  }

  /** The innermost frame. */
  get frame(): Frame | undefined {
    return this.#running.at(-1)?.frame;
  }

  /** End of the innermost compiled frame's region; `undefined` if no frame is compiled. */
  compiledEnd(): number | undefined {
    for (let index = this.#running.length - 1; index >= 0; index--) {
      const end = this.#running[index]?.frame.regionEnd;
      if (end !== undefined) return end;
    }
    return undefined;
  }

  /** Replaces the innermost frame by one that continues its execution. */
  replace(frame: Frame): void {
    const running = this.#running.at(-1);
    if (running !== undefined) running.frame = frame;
  }

  /** Opens the frame of the message. */
  begin(): void {
    const { sender, to, value, data, gas: limit } = this.message;
    if (to === undefined) {
      this.create(undefined, { code: data, value, gas: Number(limit) });
      return;
    }
    this.call(undefined, {
      opcode: op.CALL,
      target: to,
      callee: this.callee(to),
      address: to,
      caller: sender,
      value,
      moves: true,
      mustHave: value,
      touches: true,
      data,
      gas: Number(limit),
      isStatic: false,
    });
  }

  /** Charges the surcharge of a cold access (EIP-2929). @throws Halt */
  chargeAccess(frame: Frame, { word }: Address): void {
    if (this.message.rules.isBerlin && this.substate.accessWasCold(word)) frame.charge(gas.coldAccountSurcharge);
  }

  /** Reports whether a transfer creates the account: it does not exist or, from EIP-161 on, it is empty and gets a value. */
  isNew(address: Uint8Array, value: bigint): boolean {
    if (this.message.rules.isSpuriousDragon) return value > 0n && this.isEmpty(address);
    return this.message.world.getAccount(address) === undefined;
  }

  /** Reports whether an account has no nonce, balance and code (EIP-161). */
  isEmpty(address: Uint8Array): boolean {
    const account = this.message.world.getAccount(address);
    return (
      account === undefined ||
      (account.nonce === 0n && account.balance === 0n && compareBytes(account.codeHash, emptyCodeHash) === 0)
    );
  }

  /** Returns the target at an address. `frame` is charged for resolving a delegation (EIP-7702). @throws Halt */
  callee(address: Uint8Array, frame?: Frame): Callee {
    const precompile = this.#precompiles.at(address, this.message.precompiles);
    if (precompile !== undefined) return precompile;
    const { world, rules } = this.message;
    const code = world.getCode(address);
    const target = rules.isPrague ? delegationOf(code) : undefined;
    if (target === undefined) return code;
    const isCold = this.substate.accessWasCold(wordFromAddress(target));
    frame?.charge(gas.warmAccess + (isCold ? gas.coldAccountSurcharge : 0));
    // One step only. A delegation to a precompile runs no code, since that account has none unless overridden.
    return world.getCode(target);
  }

  /** Makes a call for a frame, or for the message. */
  call(from: Frame | undefined, options: CallOptions): void {
    const { address, caller, value, moves, mustHave, touches, data, isStatic, callee } = options;
    const { world, rules } = this.message;
    const depth = (from?.depth ?? 0) + 1;
    if (depth > depthMax + 1 || (mustHave > 0n && world.getBalance(caller) < mustHave)) {
      this.#settle(from, options.gas, noBytes, depth > depthMax + 1 ? halts.depth : halts.insufficientBalance);
      return;
    }
    const snapshot = this.substate.snapshot();
    world.checkpoint();
    if (moves && value > 0n) this.#move(caller, address, value);
    if (touches) {
      this.substate.touch(wordFromAddress(address));
      // Before EIP-161 a call creates the account.
      if (!rules.isSpuriousDragon && world.getAccount(address) === undefined) world.updateAccount(address, {});
    }
    if (!(callee instanceof Uint8Array)) {
      if (this.message.budget !== undefined && !callee.isLight) throw gasBudgetExceeded;
      this.#runPrecompile(from, callee, options, snapshot);
      return;
    }
    if (callee.length === 0) {
      world.commit();
      this.#settle(from, options.gas, noBytes);
      return;
    }
    const analysis = analysisOf(callee);
    const stack = this.#stack(depth);
    const frame = this.#frames.make({
      kind: 'call',
      analysis,
      address,
      caller,
      value,
      data,
      gas: options.gas,
      floor: this.clockGuard.floorOf(from, options.gas),
      isStatic,
      depth,
      stack,
      meter: this.clockGuard,
    });
    this.#open({ frame, snapshot });
  }

  /** Creates a contract for a frame, or for the message, which has increased its nonce already. */
  create(from: Frame | undefined, { code, value, gas: given, salt }: CreateOptions): void {
    const { world, sender, rules } = this.message;
    const creator = from?.address ?? sender;
    const depth = (from?.depth ?? 0) + 1;
    const nonce = world.getNonce(creator);
    if (depth > depthMax + 1 || world.getBalance(creator) < value || (from !== undefined && nonce >= nonceMax)) {
      const isDeep = depth > depthMax + 1;
      const halt = world.getBalance(creator) < value ? halts.insufficientBalance : halts.nonceOverflow;
      this.#settle(from, given, noBytes, isDeep ? halts.depth : halt);
      return;
    }
    if (from !== undefined) world.updateAccount(creator, { nonce: nonce + 1n });
    const address =
      salt === undefined
        ? createAddress(creator, from === undefined ? nonce - 1n : nonce)
        : create2Address(creator, salt, code);
    const word = wordFromAddress(address);
    this.substate.accessWasCold(word);
    if (world.isOccupied(address)) {
      this.#settle(from, 0, noBytes, halts.addressCollision);
      return;
    }
    const snapshot = this.substate.snapshot();
    world.checkpoint();
    world.clearStorage(address);
    world.updateAccount(address, { nonce: rules.isSpuriousDragon ? 1n : 0n });
    if (value > 0n) this.#move(creator, address, value);
    this.substate.create(word);
    this.substate.touch(word);
    const stack = this.#stack(depth);
    const analysis = new Analysis(code);
    const frame = new Frame({
      kind: 'create',
      analysis,
      address,
      caller: creator,
      value,
      data: noBytes,
      gas: given,
      floor: this.clockGuard.floorOf(from, given),
      isStatic: false,
      depth,
      stack,
      meter: this.clockGuard,
    });
    this.#open({ frame, snapshot });
  }

  /** Closes the innermost frame and passes its result to its caller. */
  close(halt?: Halt): void {
    const running = this.#running.pop();
    if (running === undefined) throw new Error('No frame is running.');
    const { frame, snapshot } = running;
    let fault = halt;
    let isUnpaid = false;
    if (fault === undefined && frame.kind === 'create' && !frame.isReverted) {
      fault = deployCode(frame, this.message);
      isUnpaid = fault === halts.codeStoreOutOfGas && !this.message.rules.isHomestead;
      // Frontier creates the contract without the code.
      if (isUnpaid) fault = undefined;
      this.isCodeUnpaid = isUnpaid && this.frame === undefined;
    }
    if (fault !== undefined) frame.fail();
    this.exit(frame.gas, frame.output, isUnpaid ? halts.codeStoreOutOfGas : fault, frame.isReverted);
    if (frame.isReverted) this.#takeBack(snapshot);
    else this.message.world.commit();
    const { gas: left, output, isReverted } = frame;
    const returned = frame.kind === 'create' && !isReverted ? noBytes : output;
    const from = this.frame;
    if (from === undefined) {
      this.ended = { gas: left, output, isReverted: isReverted && fault === undefined, ...(fault && { halt: fault }) };
      return;
    }
    from.gas += left;
    from.returnData = returned;
    if (frame.kind === 'create') from.push(isReverted ? 0n : wordFromAddress(frame.address));
    else {
      from.push(isReverted ? 0n : 1n);
      from.takeOutput(output);
    }
  }

  #open(running: Running): void {
    this.#running.push(running);
    this.isWaiting = true;
  }

  /** Reports the end of a frame, or of a call that opened none, before its caller resumes. Tracing overrides it. */
  protected exit(_left: number, _output: Uint8Array, _halt: Halt | undefined, _isReverted: boolean): void {}

  /** Ends a call or creation that opened no frame. The remaining gas returns to the caller; a failure pushes 0. */
  #settle(from: Frame | undefined, left: number, output: Uint8Array, halt?: Halt): void {
    this.exit(left, output, halt, halt !== undefined);
    if (from === undefined) {
      this.ended = { gas: halt ? 0 : left, output, isReverted: false, ...(halt && { halt }) };
      return;
    }
    from.gas += left;
    from.returnData = output;
    from.push(halt === undefined ? 1n : 0n);
    if (halt === undefined) from.takeOutput(output);
  }

  #runPrecompile(
    from: Frame | undefined,
    precompile: Precompile,
    { data, gas: given }: CallOptions,
    snapshot: ReturnType<Substate['snapshot']>,
  ): void {
    const settle = (result: PrecompileResult) => {
      if (result.fault === undefined) this.message.world.commit();
      else this.#takeBack(snapshot);
      const { fault, gasUsed, output } = result;
      this.#settle(from, fault === undefined ? given - gasUsed : 0, output, fault);
      // Such precompiles take longer than their price suggests.
      if (!precompile.isLight) this.clockGuard.lookAtClock();
    };
    const result = precompile.run(data, given, precompile.isLight ? undefined : () => this.clockGuard.lookAtClock());
    if (!(result instanceof Promise)) {
      settle(result);
      return;
    }
    this.isWaiting = true;
    this.pending = result.then(settle);
  }

  #takeBack(snapshot: ReturnType<Substate['snapshot']>): void {
    this.message.world.revert();
    this.substate.revert(snapshot);
  }

  #move(from: Uint8Array, to: Uint8Array, value: bigint): void {
    const { world } = this.message;
    world.updateAccount(from, { balance: world.getBalance(from) - value });
    // Balances from overrides can exceed 256 bits; they wrap as in geth.
    world.updateAccount(to, { balance: BigInt.asUintN(256, world.getBalance(to) + value) });
  }

  #stack(depth: number): bigint[] {
    let stack = this.#stacks[depth];
    if (stack === undefined) {
      stack = [];
      this.#stacks[depth] = stack;
    }
    return stack;
  }
}
