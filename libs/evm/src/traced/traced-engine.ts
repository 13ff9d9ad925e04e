import { finishing } from '../awaitable.ts';
import type { CallEngine } from '../call-engine.ts';
import type { EngineTracer } from '../engine-tracer.ts';
import type { ForkRules } from '../forks/fork-rules.ts';
import { execute } from '../interpreter/execute.ts';
import { type OpcodeTable, opcodeTable } from '../interpreter/gas.ts';
import { machineRulesOf, runMessage } from '../interpreter/interpreter-engine.ts';
import type { MachineRules } from '../interpreter/machine-types.ts';
import { observeOpcode } from './observe-opcode.ts';
import { traceFrame } from './trace-frame.ts';
import { TracedMachine } from './traced-machine.ts';

/** Gas between two checks of the clock: a traced step takes longer than a plain one. */
const gasBetweenLooks = 20_000;

/**
 * Creates an engine for messages with a tracer. It runs them step by step with geth's prices and faults.
 * @param reference runs messages with more gas than a double counts
 */
export function createTracedEngine(reference: CallEngine): CallEngine {
  const rulesOf = new WeakMap<ForkRules, MachineRules>();
  // Stacks by depth, for one message at a time.
  let stacks: bigint[][] | undefined = [];
  return {
    name: 'traced',
    run(message) {
      const { rules, tracer, gas, deadline } = message;
      if (tracer === undefined || gas > BigInt(Number.MAX_SAFE_INTEGER)) return reference.run(message);
      let machineRules = rulesOf.get(rules);
      if (machineRules === undefined) {
        machineRules = machineRulesOf(rules);
        rulesOf.set(rules, machineRules);
      }
      const paced = deadline && { ...message, deadline: { gasBetween: gasBetweenLooks, ...deadline } };
      const table = opcodeTable(rules);
      const own = stacks ?? [];
      stacks = undefined;
      const machine = new TracedMachine(paced ?? message, machineRules, { tracer, table, stacks: own });
      const runFrame = needsAllSteps(tracer, rules, table) ? traceFrame : execute;
      if (runFrame === execute) machine.observe = observeOpcode;
      return finishing(
        () => runMessage(machine, runFrame),
        () => {
          stacks = own;
        },
      );
    },
  };
}

function needsAllSteps(
  { onFault, onStep, stepOpcodes }: EngineTracer,
  { isTangerineWhistle }: ForkRules,
  { cost }: OpcodeTable,
): boolean {
  // Before EIP-150, the plain interpreter does not report every reason for a lack of gas as geth does.
  if (onFault !== undefined || !isTangerineWhistle) return true;
  if (onStep === undefined) return false;
  if (stepOpcodes === undefined) return true;
  // A step with an opcode that the fork lacks is reported before it fails, as in geth.
  for (const opcode of stepOpcodes) if ((cost[opcode] ?? -1) < 0) return true;
  return false;
}
