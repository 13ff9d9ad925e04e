import { startAnvil } from '../../peers/anvil.mjs';
import { startGateway } from '../../peers/cairn.mjs';
import { factsOf } from '../calls/area.mjs';
import { randomCode } from '../calls/codes.mjs';
import { send } from '../calls/compare.mjs';
import { conformanceChain } from '../chain.mjs';

const casesPerRound = 40;
const target = `0x${'c0de'.repeat(10)}`;
const gas = '0x7a120';
/** Block fields that code can read, equal on both servers. */
const block = {
  number: '0x40',
  time: '0x100000',
  gasLimit: '0x1c9c380',
  feeRecipient: `0x${'fe'.repeat(20)}`,
  prevRandao: `0x${'77'.repeat(32)}`,
  baseFeePerGas: '0x0',
};

/** Compares results of random programs with anvil from its npm package. Needs no geth. */
export default {
  name: 'anvil',
  missing: 'skipped: ../shared/conformance is missing',
  known: {
    BLOCKHASH: 'anvil has no earlier blocks and invents their hashes.',
    BLOBBASEFEE: 'anvil takes the blob base fee from its own head.',
  },
  async start() {
    const chain = conformanceChain();
    if (chain === undefined) return undefined;
    const anvil = await startAnvil(chain);
    const gateway = await startGateway({ genesis: chain.genesis });
    const facts = await factsOf(chain, gateway.url, new Set());
    return { anvil, gateway, facts, stop: () => Promise.all([anvil.stop(), gateway.stop()]) };
  },
  async *round({ anvil, gateway, facts }, random) {
    for (let count = 0; count < casesPerRound; count++) {
      const code = randomCode(random, [...facts.accounts.slice(0, 5), ...facts.contracts]);
      const call = { from: facts.accounts[0], to: target, gas, data: `0x${'00'.repeat(random.integer(0, 40))}` };
      const request = { method: 'eth_call', params: [call, 'latest', { [target]: { code } }, block] };
      const [cairn, peer] = await Promise.all([gateway.url, anvil.url].map((url) => send(url, request)));
      const found = kindOf(cairn, peer);
      yield found === undefined ? undefined : { class: classOf(code, found), request, cairn, peer };
    }
  },
};

/** Compares outcomes by result and revert data, because each server words its errors differently. */
function kindOf(cairn, peer) {
  if (cairn.error === undefined && peer.error === undefined)
    return cairn.result === peer.result ? undefined : 'results differ';
  if (cairn.error === undefined || peer.error === undefined) return 'only one fails';
  const data = ({ error }) => (typeof error.data === 'string' ? error.data : '0x');
  return data(cairn) === data(peer) ? undefined : 'data of the revert differs';
}

function classOf(code, kind) {
  if (/40(?=5f52|6000|5260)/.test(code)) return 'BLOCKHASH';
  if (/^0x4a/.test(code)) return 'BLOBBASEFEE';
  return `${kind}: ${code.slice(0, 8)}`;
}
