import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../peers/anvil.mjs';

const port = 18_555;
const network = new URL('../../sample-network/network/', import.meta.url);
const sample = JSON.parse(readFileSync(new URL('contracts.json', network), 'utf8'));

/**
 * Starts anvil with the contracts of the sample network and a block with as many transactions as the head of the sample
 * network.
 * @param code of contracts by address, as the gateway returns it
 * @returns its URL, the hash of that block, and a function that stops it
 */
export async function startAnvil({ code, transactions }) {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-anvil-'));
  const genesis = JSON.parse(readFileSync(new URL('genesis.json', network), 'utf8'));
  for (const [address, bytes] of Object.entries(code)) genesis.alloc[address] = { balance: '0x0', code: bytes };
  genesis.alloc[sample.accounts.alice] = { balance: '0x3635c9adc5dea00000' };
  const file = join(directory, 'genesis.json');
  writeFileSync(file, JSON.stringify(genesis));
  const options = ['--silent', '--no-mining', '--port', String(port), '--init', file];
  const child = spawn('npx', ['--yes', `@foundry-rs/anvil@${version}`, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => {
    process.kill(-child.pid, 'SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await answering(url, child);
    await ask(url, 'anvil_impersonateAccount', [sample.accounts.alice]);
    for (let n = 0; n < transactions; n++) {
      const to = sample.contracts.Token.address;
      const data = `0x095ea7b3${'00'.repeat(31)}01${n.toString(16).padStart(64, '0')}`;
      await ask(url, 'eth_sendTransaction', [{ from: sample.accounts.alice, to, data, gas: '0x186a0' }]);
    }
    await ask(url, 'evm_mine', []);
    const block = await ask(url, 'eth_getBlockByNumber', ['latest', false]);
    if (block.transactions.length !== transactions) throw new Error(`its block has ${block.transactions.length}`);
    return { url, blockHash: block.hash, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Sends one request. */
export async function ask(url, method, params) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function answering(url, child) {
  let isGone = false;
  child.once('exit', () => {
    isGone = true;
  });
  for (let tries = 0; tries < 600 && !isGone; tries++) {
    try {
      return await ask(url, 'eth_chainId', []);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  throw new Error('anvil does not start; check that the npm registry is reachable.');
}
