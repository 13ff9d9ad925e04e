import { readFileSync } from 'node:fs';
import { ask, startAnvil } from './lib/anvil.mjs';
import { load, report } from './lib/load.mjs';

const sample = JSON.parse(readFileSync(new URL('../sample-network/network/contracts.json', import.meta.url), 'utf8'));
const headers = { 'content-type': 'application/json' };

/** Each server takes one turn per round; the best round counts. The first rounds warm up the JIT compiler. */
const rounds = 6;

/** Measures methods over 32 connections, beside a bare HTTP server and, on request, anvil with the same contracts. */
export async function benchGateway({ gateway, key, count = 10_000, bare, withAnvil }) {
  const url = `${gateway}/v3/${key}`;
  const { Token } = sample.contracts;
  const block = await ask(url, 'eth_getBlockByHash', [sample.head, true]);
  const code = { [Token.address]: await ask(url, 'eth_getCode', [Token.address, 'latest']) };
  const anvil = withAnvil ? await startAnvil({ code, transactions: block.transactions.length }) : undefined;
  try {
    const servers = [
      { url, blockHash: sample.head },
      ...(anvil ? [{ url: anvil.url, blockHash: anvil.blockHash }] : []),
    ];
    const word = (n) => n.toString(16).padStart(64, '0');
    const data = (n) => `0x${Token.selectors['balanceOf(address)']}${word(n)}`;
    let holder = 1;
    const methods = {
      eth_chainId: () => [],
      'eth_getBlockByHash, full': (_, { blockHash }) => [blockHash, true],
      'eth_call of balanceOf, distinct': () => [
        { from: sample.accounts.alice, to: Token.address, data: data(holder++) },
        'latest',
      ],
      'eth_call of balanceOf, the same': () => [
        { from: sample.accounts.alice, to: Token.address, data: data(0) },
        'latest',
      ],
    };
    for (const [name, params] of Object.entries(methods)) {
      const best = servers.map(() => ({ perSecond: 0 }));
      for (let round = 0; round < rounds; round++) {
        for (const [at, server] of servers.entries()) {
          const measured = await measure(server, name.split(/[ ,]/)[0], (n) => params(n, server), count);
          if (measured.perSecond > best[at].perSecond) best[at] = measured;
        }
      }
      const [ours, theirs] = best;
      report(`${name} (p99 ${ours.p99.toFixed(1)} ms)`, ours.perSecond, '/s', 'bare HTTP', bare);
      if (theirs) report('  beside anvil', ours.perSecond, '/s', 'anvil', theirs.perSecond);
    }
  } finally {
    anvil?.stop();
  }
  await benchLanes(url, count);
}

function measure(server, method, params, count) {
  const { origin, pathname } = new URL(server.url);
  const body = (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method, params: params(n) });
  return load(origin, { count, next: (n) => ({ path: pathname, method: 'POST', headers, body: body(n) }) });
}

/** Measures the wait of light requests while endless calls fill every worker and the queue. */
async function benchLanes(url, count) {
  const { Loops } = sample.contracts;
  const get = () => measure({ url }, 'eth_getBlockByHash', () => [sample.head, true], count);
  const idle = await get();
  // Every block is distinct, because equal calls on one block are executed once.
  let asked = 0;
  const spinning = () => {
    const data = `0x${Loops.selectors['forever()']}${(asked++).toString(16).padStart(64, '0')}`;
    return { from: sample.accounts.alice, to: Loops.address, data };
  };
  let isFlooding = true;
  const flood = Array.from({ length: 64 }, async () => {
    while (isFlooding) await ask(url, 'eth_call', [spinning(), 'latest']).catch(() => {});
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const flooded = await get();
  isFlooding = false;
  await Promise.all(flood);
  console.log(
    `p99 of eth_getBlockByHash under a flood of calls`.padEnd(48),
    `${flooded.p99.toFixed(1).padStart(8)} ms   ${(flooded.p99 / idle.p99).toFixed(2)} of idle (${idle.p99.toFixed(1)} ms)`,
  );
}
