import { Pool } from 'undici';
import { balanceOf, benchGenesis, token } from './contracts.mjs';
import { roundsOf } from './counting-proxy.mjs';
import { figure, startImported, startOverProxy } from './setup.mjs';

const contracts = 1_000;

/**
 * Sends concurrent calls of distinct contracts with an empty cache, and counts requests for the same content. The upstream is a gateway with
 * an imported chain: anvil computes the whole state trie for each proof.
 */
export async function benchCoalescing() {
  const chain = await startImported(benchGenesis({ tokenCount: contracts, holders: 1, treeCount: 0 }));
  try {
    const gateway = await startOverProxy(chain);
    try {
      await gateway.follow();
      const ms = await callAll(gateway.url);
      const requests = gateway.take();
      const calls = requests.flatMap((request) => request.calls);
      const note = `${calls.length} calls in ${requests.length} requests and ${roundsOf(requests)} rounds, ${Math.round(ms)} ms`;
      const name = `${contracts} concurrent calls: most requests for one`;
      for (const [kind, keysOf] of Object.entries(contents)) {
        const most = mostOf(calls.flatMap(keysOf));
        figure(`${name} ${kind}`, most, '<= 1', most <= 1, kind === 'answer' ? note : '');
      }
    } finally {
      await gateway.stop();
    }
  } finally {
    await chain.stop();
  }
}

/** Names of the content that a call requests. A proof of slots contains the account again. */
const contents = {
  answer: ({ method, params }) => [JSON.stringify([method, params])],
  account: ({ method, params }) => (method === 'eth_getProof' && params[1].length === 0 ? [params[0]] : []),
  slot: ({ method, params }) => (method === 'eth_getProof' ? params[1].map((slot) => params[0] + slot) : []),
  code: ({ method, params }) => (method === 'eth_getCode' ? [params[0]] : []),
  block: ({ method, params }) => (method.startsWith('eth_getBlock') ? [params[0]] : []),
};

function mostOf(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

async function callAll(url) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: contracts, pipelining: 1 });
  const begun = performance.now();
  const send = async (number) => {
    const { body } = await pool.request({
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_call',
        params: [balanceOf(token(number), 0), 'latest'],
      }),
    });
    const { result, error } = await body.json();
    if (error) throw new Error(`the call of contract ${number} failed: ${error.message}`);
    if (Number(result) !== 1_000_000 * number + 1) throw new Error(`contract ${number} returned ${result}`);
  };
  await Promise.all(Array.from({ length: contracts }, (_, number) => send(number)));
  const ms = performance.now() - begun;
  await pool.close();
  return ms;
}
