import { readFileSync } from 'node:fs';
import { load } from './lib/load.mjs';

const sample = JSON.parse(readFileSync(new URL('../sample-network/network/contracts.json', import.meta.url), 'utf8'));
const headers = { 'content-type': 'application/json' };
const word = (n) => n.toString(16).padStart(64, '0');

/** Measures the memory of the gateway while it serves distinct requests of every kind for some minutes. */
export async function benchMemory({ gateway, key, pid, minutes }) {
  const { Token, Loops, Reverts } = sample.contracts;
  const from = sample.accounts.alice;
  const call = (to, data, gas) => ['eth_call', [{ from, to, data, ...(gas && { gas }) }, 'latest']];
  const kinds = [
    (n) => call(Token.address, `0x${Token.selectors['balanceOf(address)']}${word(n)}`),
    (n) => call(Loops.address, `0x${Loops.selectors['forever()']}${word(n)}`, '0x1e8480'),
    (n) => call(Reverts.address, `0x${word(n)}`),
    (n) => ['eth_getBlockByNumber', [`0x${(n % 24).toString(16)}`, true]],
    (n) => ['eth_getBalance', [`0x${word(n).slice(24)}`, 'latest']],
    (n) => ['eth_getStorageAt', [Token.address, `0x${word(n)}`, 'latest']],
    () => ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }]],
    (n) => ['eth_estimateGas', [{ from, to: `0x${word(n).slice(24)}`, value: '0x0' }]],
    (n) => ['eth_getProof', [Token.address, [`0x${word(n)}`], 'latest']],
    (n) => [`eth_nonsense${n}`, []],
  ];
  const residentMib = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const next = (n) => {
    const [method, params] = kinds[n % kinds.length](n);
    const body = JSON.stringify({ jsonrpc: '2.0', id: n, method, params });
    return { path: `/v3/${key}`, method: 'POST', headers, body };
  };
  const sizes = [];
  const tenths = 10;
  let sent = 0;
  for (let tenth = 0; tenth < tenths; tenth++) {
    const end = performance.now() + (minutes * 60_000) / tenths;
    while (performance.now() < end) {
      const base = sent;
      await load(gateway, { count: 2_000, next: (n) => next(base + n) });
      sent += 2_000;
    }
    sizes.push(Math.round(residentMib()));
  }
  console.log(`resident MiB over ${minutes} minutes of ${sent} mixed requests: ${sizes.join(' ')}`);
}
