import { blockLies } from './lies/blocks.mjs';
import { protocolLies } from './lies/protocol.mjs';
import { receiptLies } from './lies/receipts.mjs';
import { stateLies } from './lies/state.mjs';
import { transportLies } from './lies/transport.mjs';

/**
 * Every kind of lie of an upstream, by what it concerns. `isProvable`: a client can prove that the answer is wrong; `undefined`
 * where this depends on the call.
 */
export const lies = [
  ...stateLies.map((lie) => ({ about: 'state', isProvable: true, ...lie })),
  ...blockLies.map((lie) => ({ about: 'blocks', isProvable: true, ...lie })),
  ...receiptLies.map((lie) => ({ about: 'receipts', isProvable: true, ...lie })),
  ...protocolLies.map((lie) => ({ about: 'protocol', ...lie })),
  ...transportLies.map((lie) => ({ about: 'transport', ...lie })),
];
