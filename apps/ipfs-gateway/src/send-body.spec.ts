import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { sendBody } from './send-body.ts';
import { SendPermits } from './send-permits.ts';

const block = 1024 * 1024;

/** Client that takes some bytes at a time. Counts the bytes that the response holds for it, with the blocks behind views. */
class Client extends EventEmitter {
  readonly parts: Uint8Array[] = [];
  readonly held: Uint8Array[] = [];
  destroyed = false;

  constructor(private readonly isSlow = false) {
    super();
  }

  write(bytes: Uint8Array): boolean {
    this.parts.push(Uint8Array.from(bytes));
    if (!this.isSlow) return true;
    this.held.push(bytes);
    return false;
  }

  take(): void {
    this.held.length = 0;
    this.emit('drain');
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  get heldBytes(): number {
    return this.held.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  }
}

const content = Buffer.from(Array.from({ length: 3 * block }, (_, index) => index % 251));

async function* read(offset: number): AsyncGenerator<Uint8Array> {
  for (let at = offset; at < content.length; ) {
    const end = Math.min(content.length, at - (at % block) + block);
    yield Uint8Array.from(content.subarray(at, end));
    at = end;
  }
}

function send(client: Client, permits: SendPermits, { canResume = true, signal = new AbortController().signal } = {}) {
  const response = client as unknown as ServerResponse;
  const answer = { status: 200, headers: {}, body: read(0), ...(canResume && { resume: read }) };
  return sendBody(answer, { response, signal, permits, onBytes: async () => {} });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each([true, false])('a body reaches a fast client whole, resumable %s', async (canResume) => {
  const client = new Client();
  await send(client, new SendPermits(1), { canResume });
  expect(client.bytes.equals(content)).toBe(true);
});

test('slow clients beyond the permits hold no block, and get every byte', async () => {
  const permits = new SendPermits(2);
  const clients = Array.from({ length: 50 }, () => new Client(true));
  const sent = Promise.all(clients.map((client) => send(client, permits)));
  await turn();
  const held = clients.map(({ heldBytes }) => heldBytes);
  expect(held.filter((bytes) => bytes >= block)).toHaveLength(2);
  expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2 * block + 50 * 64 * 1024);
  let isDone = false;
  sent.then(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const client of clients) client.take();
    await turn();
  }
  for (const client of clients) expect(client.bytes.equals(content)).toBe(true);
});

test('bodies that can be read once wait for a permit, in order', async () => {
  const permits = new SendPermits(1);
  const slow = new Client(true);
  const stopped = new AbortController();
  const first = send(slow, permits, { canResume: false, signal: stopped.signal });
  const next = new Client();
  const second = send(next, permits, { canResume: false });
  await turn();
  expect([slow.bytes.length, next.bytes.length, permits.hasWaiters]).toEqual([block, 0, true]);
  stopped.abort(new Error('the client closed the connection'));
  await expect(first).rejects.toThrow('closed');
  await second;
  expect(next.bytes.equals(content)).toBe(true);
  expect(permits.tryTake()).toBe(true);
});

test('a response that ends while it waits leaves its place', async () => {
  const permits = new SendPermits(1);
  expect(permits.tryTake()).toBe(true);
  const stopped = new AbortController();
  const waits = send(new Client(), permits, { canResume: false, signal: stopped.signal });
  await turn();
  stopped.abort(new Error('the client closed the connection'));
  await expect(waits).rejects.toThrow('closed');
  expect(permits.hasWaiters).toBe(false);
});
