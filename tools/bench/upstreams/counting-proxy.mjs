import { createServer } from 'node:http';
import { Pool } from 'undici';

/** Reads that follow the head and the state of the connection. They are no part of a request. */
const isPoll = ({ method, params }) =>
  method === 'eth_chainId' ||
  (method === 'eth_getBlockByNumber' && ['latest', 'safe', 'finalized'].includes(params[0]));

/**
 * Starts an HTTP proxy of a JSON-RPC node that delays each answer and records its requests.
 * @param {{ target: string, delayMs: number, lacks?: readonly string[] }} options `lacks`: methods that the node pretends not to have
 * @returns its URL, `take` (the requests since the last `take`, without polls), and `stop`
 */
export async function startCountingProxy({ target, delayMs, lacks = [] }) {
  const { origin, pathname } = new URL(target);
  const pool = new Pool(origin, { connections: 64, pipelining: 1 });
  let requests = [];
  const server = createServer(async (request, response) => {
    const startedAt = performance.now();
    try {
      const body = await textOf(request);
      const parsed = JSON.parse(body);
      const calls = (Array.isArray(parsed) ? parsed : [parsed]).filter((call) => !isPoll(call));
      const record = { startedAt, endedAt: Number.POSITIVE_INFINITY, calls };
      if (calls.length > 0) requests.push(record);
      const delay = new Promise((resolve) => setTimeout(resolve, delayMs));
      const text = await forward(pool, pathname, parsed, lacks);
      await delay;
      record.endedAt = performance.now();
      response.setHeader('content-type', 'application/json').end(text);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.destroy();
    },
  };
}

/** Longest chain of requests of which each began after the end of the one before. */
export function roundsOf(requests) {
  const rounds = requests.map(() => 1);
  // Requests are in the order of their start.
  for (const [at, { startedAt }] of requests.entries())
    for (let before = 0; before < at; before++)
      if (requests[before].endedAt <= startedAt) rounds[at] = Math.max(rounds[at], rounds[before] + 1);
  return Math.max(0, ...rounds);
}

async function forward(pool, path, parsed, lacks) {
  const isBatch = Array.isArray(parsed);
  const calls = isBatch ? parsed : [parsed];
  const known = calls.filter(({ method }) => !lacks.includes(method));
  const refused = calls
    .filter(({ method }) => lacks.includes(method))
    .map(({ id, method }) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not available` } }));
  if (known.length === 0) return JSON.stringify(isBatch ? refused : refused[0]);
  const { body } = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(isBatch ? known : known[0]),
  });
  const text = await body.text();
  return refused.length === 0 ? text : JSON.stringify([...JSON.parse(text), ...refused]);
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
