// A page in Chromium verifies the answers of a real gateway, and of a proxy that alters them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../lib/toolchain.mjs';
import { startGateway } from '../peers/cairn.mjs';
import { bundle } from './bundle.mjs';
import { browserPath, launch, runInPage } from './chromium.mjs';

const network = join(root, 'tools', 'sample-network', 'network');
const sample = JSON.parse(readFileSync(join(network, 'contracts.json'), 'utf8'));
const genesis = JSON.parse(readFileSync(join(network, 'genesis.json'), 'utf8'));
const { head, accounts, contracts } = sample;
const skip = browserPath === undefined;
const outDir = mkdtempSync(join(tmpdir(), 'cairn-verifying-page-'));

let gateway;
let browser;
before(async () => {
  if (skip) return;
  const pages = join(import.meta.dirname, 'pages');
  const { files, warnings } = await bundle({ root: pages, entry: join(pages, 'verifying.mjs') });
  for (const { name, code } of files) writeFileSync(join(outDir, name), code);
  assert.deepEqual(warnings, []);
  gateway = await startGateway(
    { genesis: join(network, 'genesis.json'), blocks: join(network, 'chain.rlp') },
    { CAIRN_CORS_ORIGINS: '*' },
  );
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
  rmSync(outDir, { recursive: true, force: true });
});

const read = async (url) => {
  const input = { url, genesis, head, token: contracts.Token.address, holder: accounts.alice };
  const { result, faults } = await runInPage(browser, outDir, 'run', input);
  assert.deepEqual(faults, []);
  return result;
};

test('a page reads a contract, a balance, code, logs and a block through verified answers', {
  skip,
  timeout: 120_000,
}, async () => {
  const result = await read(gateway.url);
  assert.equal(result.tokens, String(5006n * 10n ** 18n));
  assert.match(result.balance, /^\d+$/);
  assert.ok(Number(result.code) > 100 && Number(result.logs) > 0);
  assert.match(result.block, /^0x[0-9a-f]{64}$/);
});

/** Starts a proxy that changes the result of every answer. */
async function startProxy(alter) {
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
  const server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method } = JSON.parse(body);
    const answer = await fetch(gateway.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const { result, ...rest } = await answer.json();
    return response.writeHead(200, cors).end(JSON.stringify({ ...rest, result: alter(result, method) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const other = (text) => text.replace(/.$/, (digit) => (digit === '1' ? '2' : '1'));
const lies = {
  'another result in the witness': [
    (result, method) => (method === 'cairn_call' ? { ...result, witness: other(result.witness) } : result),
    { tokens: /^(RESULT_DIFFERS|WITNESS_MALFORMED)$/ },
  ],
  'another account': [
    (result, method) =>
      method === 'eth_getProof'
        ? { ...result, accountProof: result.accountProof.with(-1, other(result.accountProof.at(-1))) }
        : result,
    { balance: /^PROOF_INVALID$/, code: /^PROOF_INVALID$/ },
  ],
  'another code': [(result, method) => (method === 'eth_getCode' ? '0x6001' : result), { code: /^PROOF_INVALID$/ }],
  'a witness without its last receipt': [
    (result, method) => (method === 'cairn_getLogs' ? { ...result, witness: result.witness.slice(0, -64) } : result),
    { logs: /^WITNESS_MALFORMED$/ },
  ],
  'another header': [
    (result, method) => (method === 'eth_getBlockByHash' ? { ...result, stateRoot: head } : result),
    {
      tokens: /^BLOCK_UNTRUSTED$/,
      balance: /^BLOCK_UNTRUSTED$/,
      logs: /^BLOCK_UNTRUSTED$/,
      block: /^BLOCK_UNTRUSTED$/,
    },
  ],
};
for (const [name, [alter, expected]] of Object.entries(lies))
  test(`a page throws when a proxy sends ${name}`, { skip, timeout: 120_000 }, async () => {
    const proxy = await startProxy(alter);
    try {
      const result = await read(proxy.url);
      for (const [field, pattern] of Object.entries(expected)) assert.match(result[field], pattern, field);
    } finally {
      proxy.close();
    }
  });
