import { readFileSync } from 'node:fs';
import { load, report } from './lib/load.mjs';

const sample = JSON.parse(readFileSync(new URL('../sample-network/network/contracts.json', import.meta.url), 'utf8'));
const headers = { 'content-type': 'application/json' };

/** Methods over 32 connections, beside a bare HTTP server and, where given, a peer that serves the same chain. */
export async function benchGateway({ gateway, key, count = 10_000, bare, peer }) {
  const { Token } = sample.contracts;
  const holder = (n) => n.toString(16).padStart(64, '0');
  const methods = {
    eth_chainId: () => [],
    'eth_getBlockByHash, full': () => [sample.head, true],
    'eth_call of balanceOf, distinct': (n) => [
      {
        from: sample.accounts.alice,
        to: Token.address,
        data: `0x${Token.selectors['balanceOf(address)']}${holder(n)}`,
      },
      'latest',
    ],
  };
  for (const [name, params] of Object.entries(methods)) {
    const body = (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method: name.split(/[ ,]/)[0], params: params(n) });
    const { perSecond, p99 } = await load(gateway, {
      count,
      next: (n) => ({ path: `/v3/${key}`, method: 'POST', headers, body: body(n) }),
    });
    report(`${name} (p99 ${p99.toFixed(1)} ms)`, perSecond, '/s', 'bare HTTP', bare);
    if (peer === undefined) continue;
    const theirs = await load(new URL(peer).origin, {
      count,
      next: (n) => ({ path: new URL(peer).pathname, method: 'POST', headers, body: body(n) }),
    });
    report(`  the peer at ${peer}`, theirs.perSecond, '/s', 'ours', perSecond);
  }
}
