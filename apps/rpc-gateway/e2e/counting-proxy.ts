import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** HTTP proxy in front of a JSON-RPC node. */
export interface CountingProxy {
  readonly url: string;
  /** Number of calls by method since the last {@link reset}. */
  readonly calls: ReadonlyMap<string, number>;
  /** HTTP requests: each is one round trip. */
  readonly rounds: number;
  /** Milliseconds that each answer is held back. */
  delayMs: number;
  /** Answer 503 instead. */
  isDown: boolean;
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a proxy that counts calls and can delay or refuse them. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const calls = new Map<string, number>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const parsed = JSON.parse(body) as { method: string } | { method: string }[];
    const methods = [parsed].flat().map(({ method }) => method);
    for (const method of methods) calls.set(method, (calls.get(method) ?? 0) + 1);
    // Polls of the head are no part of a request.
    if (methods.some((method) => !['eth_chainId', 'eth_getBlockByNumber'].includes(method))) proxy.rounds++;
    if (proxy.isDown) return void response.writeHead(503).end();
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    await new Promise((resolve) => setTimeout(resolve, proxy.delayMs));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    rounds: 0,
    delayMs: 0,
    isDown: false,
    reset() {
      calls.clear();
      proxy.rounds = 0;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
