import { type Awaitable, finishing } from '../awaitable.ts';
import type { CallEngine, EngineOutcome } from '../call-engine.ts';
import type { ForkRules } from '../forks/fork-rules.ts';
import { gasBudgetExceeded } from '../gas-budget.ts';
import { Precompiles } from '../precompiles/precompiles.ts';
import { addressFromWord } from '../state/addresses.ts';
import { execute } from './execute.ts';
import type { Frame } from './frame.ts';
import { type OpcodeTable, opcodeTable, storagePrices } from './gas.ts';
import { Halt, halts } from './halt.ts';
import { Machine } from './machine.ts';
import type { MachineRules } from './machine-types.ts';

const noBytes = new Uint8Array(0);

/**
 * Creates an interpreter for all forks. It is synchronous down to the state, and an order of magnitude faster than @ethereumjs/evm.
 * @param elsewhere runs messages with a tracer or with more gas than a double counts
 */
export function createInterpreterEngine(elsewhere: CallEngine): CallEngine {
  const rulesOf = new WeakMap<ForkRules, MachineRules>();
  // Stacks by depth, for one message at a time.
  let stacks: bigint[][] | undefined = [];
  return {
    name: 'interpreter',
    run(message) {
      const { rules, tracer, gas } = message;
      const isElsewhere = tracer !== undefined || gas > BigInt(Number.MAX_SAFE_INTEGER);
      if (isElsewhere && message.budget !== undefined) throw gasBudgetExceeded;
      if (isElsewhere) return elsewhere.run(message);
      let machineRules = rulesOf.get(rules);
      if (machineRules === undefined) {
        machineRules = machineRulesOf(rules);
        rulesOf.set(rules, machineRules);
      }
      const own = stacks ?? [];
      stacks = undefined;
      return finishing(
        () => runMessage(new Machine(message, machineRules, own), execute),
        () => {
          stacks = own;
        },
      );
    },
  };
}

/** Parts of the fork rules that a machine needs, prepared. */
export function machineRulesOf(rules: ForkRules): MachineRules {
  return {
    storage: storagePrices(rules),
    destroyRefund: rules.isLondon ? 0 : 24_000,
    isMerged: rules.isMerged,
    precompiles: new Precompiles(rules),
  };
}

type RunFrame = (frame: Frame, machine: Machine, table: OpcodeTable) => boolean;

/**
 * Runs a message to its end. Returns a promise only if a precompile does.
 * @param runFrame runs a frame until it ends (true) or waits (false)
 */
export function runMessage(machine: Machine, runFrame: RunFrame): Awaitable<EngineOutcome> {
  machine.begin();
  return goOn(machine, runFrame);
}

function goOn(machine: Machine, runFrame: RunFrame): Awaitable<EngineOutcome> {
  const table = opcodeTable(machine.message.rules);
  for (;;) {
    const { pending } = machine;
    if (pending !== undefined) {
      machine.pending = undefined;
      return pending.then(() => goOn(machine, runFrame));
    }
    const { ended, frame } = machine;
    if (ended !== undefined) return outcome(machine, ended);
    if (frame === undefined) throw new Error('The message has not ended, but no frame is open.');
    machine.isWaiting = false;
    try {
      if (runFrame(frame, machine, table)) machine.close();
    } catch (thrown) {
      if (!(thrown instanceof Halt)) throw thrown;
      machine.close(thrown);
    }
  }
}

function outcome({ message, substate, isCodeUnpaid }: Machine, ended: NonNullable<Machine['ended']>): EngineOutcome {
  const { gas, output, halt, isReverted } = ended;
  const touched = addressesOf(substate.touched);
  const gasUsed = message.gas - BigInt(gas);
  if (halt !== undefined || isReverted) {
    const nothing = { gasRefund: 0n, logs: [], logsMade: substate.logsMade, destroyed: [], touched };
    if (halt === undefined) return { kind: 'revert', output, gasUsed, ...nothing };
    return { kind: 'halt', output: noBytes, gasUsed: message.gas, reason: halt.reason, ...nothing };
  }
  // One literal: merging objects takes longer than a small call.
  const outcome: EngineOutcome = {
    kind: 'success',
    output,
    gasUsed,
    gasRefund: BigInt(substate.refund),
    logs: substate.logs,
    logNumbers: substate.logNumbers,
    logsMade: substate.logsMade,
    destroyed: addressesOf(substate.destroyed),
    touched,
  };
  if (!isCodeUnpaid) return outcome;
  return { ...outcome, kind: 'halt', output: noBytes, reason: halts.codeStoreOutOfGas.reason };
}

function addressesOf(words: ReadonlySet<bigint>): Uint8Array[] {
  const addresses: Uint8Array[] = [];
  for (const word of words) addresses.push(addressFromWord(word).bytes);
  return addresses;
}
