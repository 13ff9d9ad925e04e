import { quantity } from '@cairn/block-model';
import { define } from '../define.ts';

/** History is complete from the genesis block on. */
const whole = { disabled: false, oldestBlock: quantity(0) } as const;

export const ethCapabilities = define({
  name: 'eth_capabilities',
  summary: 'Describes the available history: all blocks and states from genesis to the head.',
  params: [],
  result: 'An object with head, and the oldest block for state, tx, logs, receipts, blocks and stateproofs.',
  reveals: 'nothing',
  handle(_, { chain: { reader } }) {
    const { hash, number } = reader.head;
    return {
      head: { number: quantity(number), hash },
      state: whole,
      tx: whole,
      logs: whole,
      receipts: whole,
      blocks: whole,
      stateproofs: whole,
    };
  },
});
