import { connect } from 'node:net';
import { memoryOf } from '../lib/process-tree.mjs';

const connectionsMax = 2000;
const connectionsBatch = 100;

/** Opens 2,000 connections, half of which read a large file slowly, and reports the memory of each server. */
export async function measureMemory({ cairn, peer, root }) {
  for (const server of [cairn, peer]) {
    if (server === undefined) continue;
    const { hostname, port, host } = new URL(server.url);
    const before = memoryOf(server.pid);
    const sockets = [];
    // A part at a time: the backlog of a server is limited.
    while (sockets.length < connectionsMax) {
      const from = sockets.length;
      const opened = Array.from({ length: connectionsBatch }, (_, index) => {
        const isSlow = (from + index) % 2 === 0;
        const path = `/ipfs/${root}/${isSlow ? 'large.bin' : '4KiB.bin'}`;
        const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
        return openSlow({ hostname, port: Number(port), request, isSlow });
      });
      sockets.push(...(await Promise.all(opened)));
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const { total, anonymous } = memoryOf(server.pid);
    for (const socket of sockets) socket.destroy();
    const goal = server === cairn ? ', goal 400' : '';
    console.log(
      `${`memory with ${connectionsMax} connections: ${server.name}`.padEnd(44)} ${Math.round(total)} MiB resident${goal}; ${Math.round(anonymous)} MiB beside mapped files; ${Math.round(before.total)} MiB before`,
    );
  }
}

/** Resolves with a connection that has received the start of its response. A slow one reads nothing more. */
function openSlow({ hostname, port, request, isSlow }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port }, () => socket.write(request));
    socket.on('error', reject);
    socket.once('data', () => {
      if (isSlow) socket.pause();
      resolve(socket);
    });
  });
}
