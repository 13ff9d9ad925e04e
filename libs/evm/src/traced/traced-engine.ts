import type { CallEngine } from '../call-engine.ts';
import type { ForkRules } from '../forks/fork-rules.ts';
import { machineRulesOf, runMessage } from '../interpreter/interpreter-engine.ts';
import type { MachineRules } from '../interpreter/machine-types.ts';
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
  return {
    name: 'traced',
    async run(message) {
      const { rules, tracer, gas, deadline } = message;
      if (tracer === undefined || gas > BigInt(Number.MAX_SAFE_INTEGER)) return reference.run(message);
      let machineRules = rulesOf.get(rules);
      if (machineRules === undefined) {
        machineRules = machineRulesOf(rules);
        rulesOf.set(rules, machineRules);
      }
      const paced = deadline && { ...message, deadline: { gasBetween: gasBetweenLooks, ...deadline } };
      return await runMessage(new TracedMachine(paced ?? message, machineRules, tracer), traceFrame);
    },
  };
}
