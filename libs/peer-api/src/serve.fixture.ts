import { createServer } from 'node:http';
import { PeerApiServer, type PeerApiServerOptions } from './nest/peer-api-server.ts';
import type { PeerApi } from './peer-api.ts';

/** Serves an adapter on a free loopback port, or on a given one. Tokens are `right`, all others are wrong. */
export async function serve(
  api: PeerApi,
  port = 0,
  { store, buffers }: Pick<PeerApiServerOptions, 'store' | 'buffers'> = {},
) {
  const errors: unknown[] = [];
  const protocol = new PeerApiServer({
    api,
    store,
    buffers,
    requireToken: async (token) => {
      if (token !== 'right') throw Object.assign(new Error('wrong'), { code: 'CREDENTIALS_INVALID', details: {} });
    },
    onError: (error) => errors.push(error),
  });
  const server = createServer((request, response) => {
    if (!protocol.handleRequest(request, response)) response.writeHead(404).end();
  });
  server.on('upgrade', (request, socket, head) => {
    if (!protocol.handleUpgrade(request, socket, head)) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    errors,
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    /** Cuts all connections, as the end of the process does. */
    async kill() {
      const closed = new Promise((resolve) => server.close(resolve));
      protocol.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
