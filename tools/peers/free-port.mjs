import { createServer } from 'node:net';

/**
 * Ports below the range from which systems choose ports of outgoing connections (Linux: from 32768). A port of that range can
 * be taken by any connection between its choice and its use, and tests with thousands of connections run at the same time.
 */
const [first, end] = [10_000, 32_000];
/** Ports for one process. Processes that run at the same time choose from different ports. */
const perProcess = 64;

const base = first + (process.pid % Math.floor((end - first) / perProcess)) * perProcess;
let next = Math.floor(Math.random() * perProcess);

/** Resolves with a TCP port on loopback that is free and that no outgoing connection takes. */
export async function freePort() {
  for (let tries = 0; tries < perProcess; tries++) {
    const port = base + (next++ % perProcess);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${base} to ${base + perProcess - 1} are in use; end the servers of earlier tests.`);
}

/** Resolves with whether a server can listen on a port of loopback. */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
