import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type SharedReads, shareReads } from './shared-reads.ts';

let server: Server;
let accept: (accepted: Socket) => void;
beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }, (accepted) => accept(accepted));
  await new Promise<void>((resolve) => server.listen(0, resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** Connects a client to a socket that shares its reads. */
async function pair(
  onBytes: (bytes: Buffer) => void,
): Promise<{ client: Socket; accepted: Socket; reads: SharedReads }> {
  const found = new Promise<{ accepted: Socket; reads: SharedReads }>((resolve) => {
    accept = (accepted) => {
      const reads = shareReads(accepted, onBytes);
      if (reads === undefined) throw new Error('This version of Node does not let sockets share their reads.');
      resolve({ accepted, reads });
    };
  });
  const client = connect((server.address() as AddressInfo).port);
  return { client, ...(await found) };
}

const countOf = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

test('two sockets pass copies of their own bytes, and the server counts each once until it closes', async () => {
  const received: Buffer[][] = [[], []];
  const first = await pair((bytes) => received[0]?.push(bytes));
  const second = await pair((bytes) => received[1]?.push(bytes));
  expect(first.reads.socket.remotePort).toBe(first.client.localPort);
  expect(first.reads.socket.allowHalfOpen).toBe(true);
  expect(await countOf()).toBe(2);
  for (const [index, { client }] of [first, second].entries()) client.end(Buffer.alloc(200_000, index + 1));
  await Promise.all([first, second].map(({ reads }) => once(reads.socket, 'end')));
  for (const [index, chunks] of received.entries())
    expect(Buffer.concat(chunks).equals(Buffer.alloc(200_000, index + 1))).toBe(true);
  for (const { client, reads } of [first, second]) {
    client.resume();
    reads.socket.end('bye');
    await once(client, 'close');
  }
  for (let tries = 0; tries < 100 && (await countOf()) > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await countOf()).toBe(0);
});

test('a paused socket reads nothing, and a released one is a stream with back pressure', async () => {
  const received: Buffer[] = [];
  const { client, reads } = await pair((bytes) => received.push(bytes));
  const { socket } = reads;
  client.write('a');
  for (let tries = 0; tries < 100 && received.length === 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  socket.pause();
  client.write('b');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(Buffer.concat(received).toString()).toBe('a');
  reads.release();
  const bytes = Buffer.alloc(4_000_000, 'c');
  client.end(bytes);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(socket.readableLength).toBeLessThan(1_000_000);
  const streamed: Buffer[] = [];
  for await (const chunk of socket) streamed.push(chunk);
  expect(Buffer.concat(streamed).equals(Buffer.concat([Buffer.from('b'), bytes]))).toBe(true);
  expect(received).toHaveLength(1);
  client.resume();
  socket.end();
  await once(client, 'close');
});

test('a socket without a handle, of another class, or with readers stays as it is', async () => {
  class OtherSocket extends Socket {}
  for (const socket of [new Socket(), new OtherSocket()]) expect(shareReads(socket, () => {})).toBeUndefined();
  const { client, reads } = await pair(() => reads.release());
  client.write('a');
  for (let tries = 0; tries < 100 && reads.socket.bytesRead === 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(shareReads(reads.socket, () => {})).toBeUndefined();
  client.destroy();
  await once(reads.socket.destroy(), 'close');
});
