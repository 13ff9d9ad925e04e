import { quantity } from '@cairn/block-model';
import { define } from '../define.ts';

/** Everything is kept from the genesis block on. */
const whole = { disabled: false, oldestBlock: quantity(0) } as const;

export const ethCapabilities = define({
  name: 'eth_capabilities',
  summary: 'The history that this gateway can answer for: all of it, from the genesis block to the head.',
  params: [],
  result: 'An object with head, and for state, tx, logs, receipts, blocks and stateproofs the oldest block.',
  reveals: 'nothing',
  handle(_, { chain: { store } }) {
    const { hash, number } = store.head;
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
