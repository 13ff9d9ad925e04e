import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startLoad } from '../../../tools/peers/keep-alive-load.mjs';
import { call, type Gateway, startGateway, until } from './gateway.ts';

/** Requests on new connections reach the processes in turn. */
const everyProcess = 6;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { CAIRN_PROCESSES: '2', LOG_LEVEL: 'debug', RPC_GATEWAY_ADMIN_PORT: '0' } });
  await until(async () => serving().length === 2, 'two processes serve');
});
afterAll(() => gateway.stop());

/** Process numbers of all processes that have listened so far. */
function serving(): number[] {
  return gateway.log.flatMap((line) =>
    line.includes('"a process serves"') ? [Number(/"pid":(\d+)/.exec(line)?.[1])] : [],
  );
}

/** Calls a method several times, each on a connection of its own. */
function callEach(method: string, params: readonly unknown[] = []) {
  return Promise.all(Array.from({ length: everyProcess }, () => closing(method, params)));
}

async function closing(method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const answer = await fetch(gateway.url, { method: 'POST', headers, body });
  return (await answer.json()) as { readonly result?: unknown; readonly error?: unknown };
}

const blockRequest = (n: number) => ({
  path: new URL(gateway.url).pathname,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'eth_getBlockByNumber', params: ['0x5', true] }),
});
const isRight = ({ n, status, text }: { readonly n: number; readonly status: number; readonly text: string }) =>
  status === 200 && text.includes(`"id":${n},"result":{`);

test('a filter made at one process is polled at both, and survives kill -9 of one during requests', async () => {
  const { result: id } = await call(gateway.url, 'eth_newBlockFilter');
  for (const { result } of await callEach('eth_getFilterChanges', [id])) expect(result).toEqual([]);
  const load = startLoad({ url: gateway.url, pauseMs: 10, next: blockRequest });
  await until(async () => load.answers.length > 50, 'requests are answered');
  const [killed = 0] = serving();
  process.kill(killed, 'SIGKILL');
  await until(async () => serving().length === 3, 'the process is replaced', 90_000);
  const { answers, failures } = await load.stop();
  expect(answers.filter((answer) => !isRight(answer))).toEqual([]);
  // Connections of the killed process break; the others stay.
  expect(failures.length).toBeLessThanOrEqual(8);
  for (const { result } of await callEach('eth_getFilterChanges', [id])) expect(result).toEqual([]);
  expect((await call(gateway.url, 'eth_uninstallFilter', [id])).result).toBe(true);
  for (const { error } of await callEach('eth_getFilterChanges', [id])) expect(error).toMatchObject({ code: -32000 });
});

test('wrong keys are counted by all processes together', async () => {
  const url = gateway.url.replace(/[^/]+$/, 'a-wrong-key');
  const statuses: number[] = [];
  for (let n = 0; n < 14; n++) {
    const answer = await fetch(url, { method: 'POST', headers: { connection: 'close' }, body: '{}' });
    statuses.push(answer.status);
    await answer.text();
    // Counts of another process arrive within a moment.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(statuses.slice(-2)).toEqual([429, 429]);
});

test('SIGUSR2 replaces all processes without a failed request; metrics describe the whole', async () => {
  const adminPort = /"adminPort":(\d+)/.exec(gateway.log.join('\n'))?.[1];
  const metric = async (pattern: RegExp) => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return Number(pattern.exec(text)?.[1]);
  };
  const total = () =>
    metric(/^cairn_requests_total\{operation="eth_getBlockByNumber",[^}]*outcome="ok"[^}]*\} (\d+)$/m);
  const sockets = [1, 2, 3, 4].map(() => new WebSocket(gateway.webSocketUrl));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
  expect(await metric(/^cairn_web_sockets\{[^}]*\} (\d+)$/m)).toBe(4);
  expect(await metric(/^cairn_processes\{[^}]*\} (\d+)$/m)).toBe(2);
  const before = await total();
  const load = startLoad({ url: gateway.url, pauseMs: 10, next: blockRequest });
  gateway.process.kill('SIGUSR2');
  await until(async () => gateway.log.some((line) => line.includes('all processes are replaced')), 'replaced', 110_000);
  const { answers, failures } = await load.stop();
  expect([failures, answers.filter((answer) => !isRight(answer))]).toEqual([[], []]);
  expect(await total()).toBe(before + answers.length);
  for (const socket of sockets) expect(socket.readyState).toBe(WebSocket.CLOSED);
  expect(await gateway.end()).toBe(0);
});
