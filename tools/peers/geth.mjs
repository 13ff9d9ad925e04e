import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerBinary } from './binaries.mjs';
import { freePort } from './free-port.mjs';
import { runProgram, startServer } from './process.mjs';

/**
 * Starts a real geth in archive mode, without peers, on a chain imported from files.
 * @param {{ genesis: string, blocks?: string, gasCap?: number, allowsUnprotected?: boolean }} chain paths of the genesis file
 *   and of what `geth export` writes; gas that a call may use at most (default 0: no cap); whether transactions without a chain
 *   id may be sent (default true)
 * @returns its URLs, binary and `stop`, or undefined where geth is not built
 */
export async function startGeth({ genesis, blocks, gasCap = 0, allowsUnprotected = true }) {
  const binary = peerBinary('geth');
  if (binary === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'cairn-geth-'));
  const store = ['--datadir', directory, '--state.scheme', 'hash', '--gcmode', 'archive'];
  await runProgram(binary, ['--datadir', directory, '--state.scheme', 'hash', 'init', genesis]);
  if (blocks !== undefined) await runProgram(binary, [...store, 'import', blocks]);
  const [http, webSocket, engine] = [await freePort(), await freePort(), await freePort()];
  const namespaces = 'eth,net,web3,debug,txpool,admin';
  const url = `http://127.0.0.1:${http}`;
  const { child, stop, output } = await startServer({
    name: 'geth',
    command: binary,
    args: [
      ...store,
      ...['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable', '--cache', '128'],
      ...['--authrpc.port', String(engine), '--rpc.gascap', String(gasCap)],
      ...(allowsUnprotected ? ['--rpc.allow-unprotected-txs'] : []),
      ...['--http', '--http.port', String(http), '--http.api', namespaces],
      ...['--ws', '--ws.port', String(webSocket), '--ws.api', namespaces],
    ],
    isReady: async () => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).ok;
    },
  });
  const engineUrl = `http://127.0.0.1:${engine}`;
  return {
    url,
    /** Names the blocks that are the head, safe and final, as a consensus client does. @param {Record<string, string>} state */
    setForkChoice: (state) =>
      setForkChoice(engineUrl, readFileSync(join(directory, 'geth', 'jwtsecret'), 'utf8'), state),
    webSocketUrl: `ws://127.0.0.1:${webSocket}`,
    binary,
    pid: child.pid,
    output,
    stop: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Calls engine_forkchoiceUpdatedV3 with a token of the secret that geth made. */
async function setForkChoice(url, secret, state) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: Math.floor(Date.now() / 1000) })}`;
  const key = Buffer.from(secret.trim().replace(/^0x/, ''), 'hex');
  const token = `${claims}.${createHmac('sha256', key).update(claims).digest('base64url')}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'engine_forkchoiceUpdatedV3', params: [state, null] });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
  if (answer.result?.payloadStatus?.status !== 'VALID')
    throw new Error(`geth refuses the head: ${JSON.stringify(answer)}`);
}
