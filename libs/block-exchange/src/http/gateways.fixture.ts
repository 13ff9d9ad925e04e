import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Block } from '@cairn/blockstore/core';
import { parseCid } from '@cairn/cid';
import { blockKey } from '../block-key.ts';
import type { Provider } from '../index.ts';

/** Gateway on loopback. */
export interface TestGateway {
  readonly url: string;
  readonly provider: Provider;
  readonly requests: string[];
  readonly blocks: Map<string, Uint8Array>;
  put(blocks: readonly Block[]): Promise<void>;
  /** Number of responses that have ended before they were complete. */
  aborted: number;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts gateways and stops them together. */
export class TestGateways {
  readonly #servers: Server[] = [];

  /** Starts a gateway. Without `answer` it serves its blocks. */
  async start(answer?: Answer): Promise<TestGateway> {
    const blocks = new Map<string, Uint8Array>();
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.on('close', () => {
        if (!response.writableFinished) gateway.aborted++;
      });
      if (answer) return answer(request, response);
      const [, cid = ''] = /^\/ipfs\/(\w+)\?format=raw$/.exec(request.url ?? '') ?? [];
      const bytes = blocks.get(blockKey(parseCid(cid)));
      if (bytes === undefined) response.writeHead(404).end('not found');
      else response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes);
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const gateway: TestGateway = {
      url: `http://127.0.0.1:${port}`,
      provider: { addresses: [`/ip4/127.0.0.1/tcp/${port}/http`] },
      requests,
      blocks,
      put: async (added) => {
        for (const { cid, bytes } of added) blocks.set(blockKey(cid), bytes);
      },
      aborted: 0,
    };
    return gateway;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
