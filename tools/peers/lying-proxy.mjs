import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { WebSocketServer } from 'ws';

const own = new Set(['eth_chainId', 'eth_subscribe', 'net_version']);
const isTagRead = ({ params }) => typeof params[0] === 'string' && !params[0].startsWith('0x');

/**
 * Starts a JSON-RPC node on loopback, over HTTP and WebSocket, that answers as another one does, changed by a lie.
 * @param {object} options
 * @param {string | ((method: string, params: readonly unknown[]) => unknown)} options.upstream URL of a node, or a function with its
 *   results
 * @param {number} [options.delayMs] added to each answer
 * @param {import('./lies.mjs').Lie} [options.lie] may be replaced at any time by `proxy.lie`
 */
export async function startLyingProxy({ upstream, lie, delayMs = 0 }) {
  const memory = new Memory();
  /** Methods of all calls; `lied` counts answers that the lie changed. */
  const proxy = { lie, lied: 0, requests: 0, methods: [], url: '', webSocketUrl: '', stop: async () => {} };
  const ask = typeof upstream === 'string' ? (call) => forwarded(upstream, call) : (call) => computed(upstream, call);

  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    try {
      const { text, isRead } = await answerTo(await textOf(request));
      if (proxy.lie?.respond !== undefined && isRead) {
        proxy.lied += 1;
        await proxy.lie.respond(response, text);
      } else response.setHeader('content-type', 'application/json').end(text);
    } catch {
      response.destroy();
    }
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', async (data) => {
      const { text, isRead } = await answerTo(data.toString());
      if (proxy.lie?.respond === undefined || !isRead) return socket.send(text);
      proxy.lied += 1;
      await proxy.lie.respond(responseOver(socket), text);
    });
  });

  async function answerTo(body) {
    const parsed = JSON.parse(body);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    proxy.requests += 1;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    proxy.methods.push(...calls.map(({ method }) => method));
    const isRead = calls.some((call) => !own.has(call.method) && !isTagRead(call));
    const answers = await Promise.all(calls.map(async (call) => lieAbout(await ask(call), call)));
    const { answers: changeAll, text: changeText } = proxy.lie ?? {};
    const changed = changeAll === undefined ? answers : changeAll(answers, calls);
    // A single call gets a single answer, where the lie did not change the form.
    const isSingle = !Array.isArray(parsed) && Array.isArray(changed) && changed.length === 1;
    const text = JSON.stringify(isSingle ? changed[0] : changed) ?? 'null';
    if (changeAll !== undefined && JSON.stringify(changed) !== JSON.stringify(answers)) proxy.lied += 1;
    if (changeText === undefined || !isRead) return { text, isRead };
    proxy.lied += 1;
    return { text: changeText(text), isRead };
  }

  function lieAbout(answer, call) {
    const { result: change, answer: changeAnswer, methods } = proxy.lie ?? {};
    let changedResult = answer;
    if (change !== undefined && (methods === undefined || methods.includes(call.method)) && 'result' in answer) {
      const result = change(answer.result, call, memory);
      if (result !== answer.result) {
        proxy.lied += 1;
        changedResult = { ...answer, result: result === undefined ? null : result };
      }
    }
    memory.add(call, answer.result);
    if (changeAnswer === undefined) return changedResult;
    const changed = changeAnswer(changedResult, call);
    if (changed !== changedResult) proxy.lied += 1;
    return changed;
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  proxy.url = `http://127.0.0.1:${port}`;
  proxy.webSocketUrl = `ws://127.0.0.1:${port}`;
  proxy.stop = async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return proxy;
}

/**
 * Starts an honest proxy of the node at a URL in a thread of its own, since lies of many megabytes keep the thread of the liars busy.
 * @param {{ upstream: string, delayMs?: number }} options
 */
export async function startHonestProxy(options) {
  const worker = new Worker(new URL('./lying-proxy-worker.mjs', import.meta.url), { workerData: options });
  const [url] = await once(worker, 'message');
  return { url, stop: () => worker.terminate() };
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function forwarded(url, { method, params, id }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = await response.json();
  return { ...answer, id };
}

async function computed(answer, { method, params, id }) {
  try {
    return { jsonrpc: '2.0', id, result: (await answer(method, params)) ?? null };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: error.code ?? -32000, message: error.message } };
  }
}

/** The part of an HTTP response that lies use, over a WebSocket. */
function responseOver(socket) {
  const response = {
    socket: {
      end: (text) => socket.send(text),
      write: (text) => socket.send(text),
      resetAndDestroy: () => socket.terminate(),
    },
    get destroyed() {
      return socket.readyState !== socket.OPEN;
    },
    writeHead: () => response,
    flushHeaders: () => {},
    write(chunk, done) {
      if (response.destroyed) return true;
      socket.send(chunk, done);
      return socket.bufferedAmount < 1 << 20;
    },
    end: (chunk) => void (chunk === undefined ? socket.close() : socket.send(chunk)),
    destroy: () => socket.terminate(),
    once: (_, resolve) => setTimeout(resolve, 20),
  };
  return response;
}

/** First results of each method, by parameters. */
class Memory {
  #results = new Map();
  #hashes = new Set();

  add({ method, params }, result) {
    if (result === null || result === undefined) return;
    const known = this.#results.get(method) ?? new Map();
    if (known.size < 20) known.set(JSON.stringify(params), result);
    this.#results.set(method, known);
    if (typeof result.hash === 'string' && result.parentHash !== undefined && this.#hashes.size < 100)
      this.#hashes.add(result.hash);
  }

  other({ method, params }) {
    const name = JSON.stringify(params);
    for (const [key, result] of this.#results.get(method) ?? []) if (key !== name) return result;
    return undefined;
  }

  first({ method }) {
    return this.#results.get(method)?.values().next().value;
  }

  aHashOtherThan(hash) {
    for (const known of this.#hashes) if (known !== hash) return known;
    return `0x${'34'.repeat(32)}`;
  }
}
