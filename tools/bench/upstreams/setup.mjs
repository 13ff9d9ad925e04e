import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../peers/anvil.mjs';
import { startGateway } from '../../peers/cairn.mjs';
import { ask } from '../lib/anvil.mjs';
import { startCountingProxy } from './counting-proxy.mjs';

/** Latency that the proxy adds to each answer of the upstream. */
export const delayMs = 50;

/** Writes a genesis to a new directory. Returns its file and `remove`. */
function storeGenesis(genesis) {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const file = join(directory, 'genesis.json');
  writeFileSync(file, JSON.stringify(genesis));
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Starts a gateway that imports a genesis. */
export async function startImported(genesis) {
  const { file, remove } = storeGenesis(genesis);
  const gateway = await startGateway({ genesis: file });
  return { url: gateway.url, genesis: file, stop: () => gateway.stop().then(remove) };
}

/**
 * Starts anvil on a genesis.
 * @returns its URL, `genesis` (the file), `mine`, `send` (a mined transaction), and `stop`
 */
export async function startChain(genesis) {
  const { file, remove } = storeGenesis(genesis);
  const anvil = await startAnvil({ genesis: file, hardfork: 'prague' });
  const { url } = anvil;
  const mine = (count = 1) => ask(url, 'anvil_mine', [`0x${count.toString(16)}`]);
  // The state root of anvil's genesis block omits its accounts; that of the next block has them.
  await mine();
  return {
    url,
    genesis: file,
    mine,
    async send(transaction) {
      await ask(url, 'anvil_impersonateAccount', [transaction.from]);
      const hash = await ask(url, 'eth_sendTransaction', [{ gas: '0x186a0', ...transaction }]);
      // anvil mines it after the answer.
      while ((await ask(url, 'eth_getTransactionReceipt', [hash])) === null)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      await anvil.stop();
      remove();
    },
  };
}

/**
 * Starts a gateway whose only upstream is a node behind a proxy with latency.
 * @param {{ url: string, genesis: string }} chain
 * @param {{ lacks?: readonly string[], settings?: Readonly<Record<string, string>> }} [options]
 * @returns the gateway with `take` of the proxy, and `follow`, which resolves when its head is that of the node
 */
export async function startOverProxy({ url, genesis }, { lacks, settings } = {}) {
  const proxy = await startCountingProxy({ target: url, delayMs, ...(lacks && { lacks }) });
  const gateway = await startGateway({ genesis, upstreams: [proxy.url], head: { trusted: true } }, settings);
  return {
    ...gateway,
    take: proxy.take,
    async follow() {
      const height = await ask(url, 'eth_blockNumber', []);
      while ((await ask(gateway.url, 'eth_blockNumber', [])) !== height)
        await new Promise((resolve) => setTimeout(resolve, 50));
      // The head tracker also reads blocks between two heads.
      await new Promise((resolve) => setTimeout(resolve, 4 * delayMs));
      proxy.take();
    },
    async stop() {
      await gateway.stop();
      await proxy.stop();
    },
  };
}

/** Prints a figure beside its goal. */
export function figure(name, value, goal, isGood, note = '') {
  console.log(
    `${name.padEnd(64)} ${String(value).padStart(9)}   goal ${goal.padEnd(9)} ${isGood ? 'met' : 'MISSED'}  ${note}`,
  );
}

export const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
