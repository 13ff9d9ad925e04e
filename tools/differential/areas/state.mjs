import { startGateway } from '../../peers/cairn.mjs';
import { startGeth } from '../../peers/geth.mjs';
import { conformanceChain } from '../chain.mjs';

const methods = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'];

/** Compares balances, nonces and code of random accounts at random heights. */
export default {
  name: 'state',
  peer: 'geth',
  known: {},
  async start() {
    const chain = conformanceChain();
    const geth = chain && (await startGeth(chain));
    if (geth === undefined) return undefined;
    const gateway = await startGateway(chain);
    return { geth, gateway, accounts: chain.accounts, stop: () => Promise.all([geth.stop(), gateway.stop()]) };
  },
  async *round({ geth, gateway, accounts }, random) {
    for (const method of methods) {
      const params = [random.pick(accounts), `0x${random.integer(0, 54).toString(16)}`];
      const request = { jsonrpc: '2.0', id: 1, method, params };
      const [cairn, peer] = await Promise.all([gateway.url, geth.url].map((url) => post(url, request)));
      yield JSON.stringify(cairn) === JSON.stringify(peer) ? undefined : { class: method, request, cairn, peer };
    }
  },
};

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const { result, error } = await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  return { result, error };
}
