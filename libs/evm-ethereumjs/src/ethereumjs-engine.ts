import { prepareKzg } from '@cairn/block-model/kzg';
import type { CallEngine, ForkRules } from '@cairn/evm';
import type { EthereumjsMachine } from './ethereumjs-machine.ts';

/** Creates the reference engine: the interpreter of @ethereumjs/evm, exact on every fork. The first message loads it. */
export function createEthereumjsEngine(): CallEngine {
  const machines = new WeakMap<ForkRules, EthereumjsMachine>();
  return {
    name: 'ethereumjs',
    async run(message) {
      const { EthereumjsMachine } = await import('./ethereumjs-machine.ts');
      if (message.rules.isCancun) await prepareKzg();
      let machine = machines.get(message.rules);
      if (machine === undefined) {
        machine = new EthereumjsMachine(message.rules);
        machines.set(message.rules, machine);
      }
      return await machine.run(message);
    },
  };
}
