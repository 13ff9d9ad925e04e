import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Uint8ArrayList } from 'uint8arraylist';
import { coalesceWindowUpdates, type WindowedStream } from './coalesce-window-updates.ts';
import { corkWrites } from './cork-writes.ts';
import { createNode } from './create-node.ts';
import { type Decrypting, decryptDirectly } from './direct-noise.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('writes of one turn are one system call, and all bytes arrive in order', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const [other] = await accepted;
  const received: Buffer[] = [];
  other.on('data', (part) => received.push(part));
  const hooks = socket as unknown as {
    _writev: (...options: unknown[]) => void;
    _write: (...options: unknown[]) => void;
  };
  const { _writev: writev, _write: write } = hooks;
  let calls = 0;
  hooks._writev = (...options) => {
    calls++;
    writev.apply(socket, options);
  };
  hooks._write = (...options) => {
    calls++;
    write.apply(socket, options);
  };
  corkWrites(socket);
  for (let turn = 0; turn < 3; turn++) {
    for (let index = 0; index < 100; index++) socket.write(Buffer.from(`${turn * 100 + index} `));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write(Buffer.from('end'));
  socket.end();
  await once(other, 'end');
  expect(Buffer.concat(received).toString()).toBe(`${Array.from({ length: 300 }, (_, index) => index).join(' ')} end`);
  expect(calls).toBeLessThanOrEqual(4);
});

test('a window update is sent when half of the window is used, and with the flags of a new stream', () => {
  let updates = 0;
  const stream = {
    state: 2,
    recvWindow: 1000,
    recvWindowCapacity: 1000,
    sendWindowUpdate() {
      updates++;
      stream.recvWindowCapacity = stream.recvWindow;
      stream.state = 3;
    },
  };
  coalesceWindowUpdates<WindowedStream>(stream);
  stream.sendWindowUpdate();
  expect(updates).toBe(1);
  for (let frame = 0; frame < 100; frame++) {
    stream.recvWindowCapacity -= 100;
    expect(stream.recvWindowCapacity).toBeGreaterThanOrEqual(0);
    stream.sendWindowUpdate();
  }
  expect(updates).toBe(1 + 100 / 5);
});

test('frames of noise are decrypted without a copy, and a frame without a tag is refused', () => {
  const given: unknown[][] = [];
  const plain = Uint8Array.of(1);
  const connection: Decrypting = {
    handshake: {
      decrypt: (...options) => {
        given.push(options);
        return plain;
      },
    },
    decrypt: () => new Uint8Array(),
  };
  decryptDirectly(connection);
  const frame = new Uint8ArrayList(new Uint8Array(10), new Uint8Array(10));
  expect(connection.decrypt(frame)).toBe(plain);
  expect(() => connection.decrypt(new Uint8Array(15))).toThrow('authentication tag');
  expect(given).toEqual([[frame]]);
});

test('the streams of a node have coalesced updates, and their sockets are corked', async () => {
  const [alice, bob] = [
    await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] }),
    await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] }),
  ];
  closing.push(
    () => alice.stop(),
    () => bob.stop(),
  );
  let received = 0;
  let updates = 0;
  const all = new Promise<void>((resolve) => {
    void bob.handle('/test/1', (stream) => {
      const hooks = stream as unknown as { sendFrame: (header: { readonly type: number }, data?: unknown) => unknown };
      const { sendFrame } = hooks;
      hooks.sendFrame = (header, data) => {
        if (header.type === 1) updates++;
        return sendFrame.call(stream, header, data);
      };
      stream.addEventListener('message', ({ data }) => {
        received += data.byteLength;
        if (received === 4 * 1024 * 1024) resolve();
      });
    });
  });
  const [address] = bob.getMultiaddrs();
  if (address === undefined) throw new Error('The node has no address.');
  const stream = await alice.dialProtocol(address, '/test/1');
  for (let sent = 0; sent < 1024; sent++) if (!stream.send(Buffer.alloc(4096, sent))) await stream.onDrain();
  await all;
  // Half a window of 256 KiB or more for each.
  expect(updates).toBeLessThanOrEqual(40);
});
