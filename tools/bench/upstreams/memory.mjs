import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../peers/cairn.mjs';
import { load } from '../lib/load.mjs';
import { chainId, codeBytes, contract } from './large-contracts.mjs';
import { figure } from './setup.mjs';

const MiB = 1024 * 1024;
const goal = 400;

/** Fills the content cache of a gateway, reads and calls all of it, and measures its memory beside mapped files. */
export async function benchCacheMemory(mebibytes) {
  const count = Math.ceil((mebibytes * MiB) / codeBytes);
  const node = fork(fileURLToPath(new URL('large-node.mjs', import.meta.url)), [String(count)]);
  try {
    const [url] = await once(node, 'message');
    const chain = { chainId, upstreams: [url], head: { trusted: true } };
    const gateway = await startGateway(chain, { CAIRN_UPSTREAM_CACHE_BYTES_MAX: String(2 * mebibytes * MiB) });
    try {
      const idle = memoryOf(gateway.pid);
      const begun = performance.now();
      await callEach(gateway.url, count, 'eth_getCode', (to) => [to, 'latest']);
      const filledMs = performance.now() - begun;
      const filled = memoryOf(gateway.pid);
      await callEach(gateway.url, count, 'eth_call', (to) => [{ to }, 'latest']);
      const called = memoryOf(gateway.pid);
      const note = (own) =>
        `${Math.round(own.mapped)} MiB of mapped files, ${Math.round(idle.private)} MiB beside them before; ` +
        `${count} contracts, filled in ${Math.round(filledMs / 1000)} s`;
      for (const [when, own] of Object.entries({ 'after the fill': filled, 'after a call of each contract': called }))
        figure(
          `cache of ${mebibytes} MiB: MiB beside mapped pages, ${when}`,
          Math.round(own.private),
          `< ${goal}`,
          own.private < goal,
          note(own),
        );
    } finally {
      await gateway.stop();
    }
  } finally {
    node.kill();
  }
}

function callEach(url, count, method, paramsOf) {
  const { origin, pathname } = new URL(url);
  const next = (number) => ({
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: paramsOf(contract(number)) }),
  });
  return load(origin, { count, next });
}

/** Resident memory of a process in MiB; Linux only. Mapped pages of files can be dropped at any time. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  return { private: mebibytes('RssAnon') + mebibytes('RssShmem'), mapped: mebibytes('RssFile') };
}
