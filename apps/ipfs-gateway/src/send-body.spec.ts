import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { BufferPool } from '@cairn/blockstore';
import { expect, test } from '@jest/globals';
import { sendBody } from './send-body.ts';
import { SendMemory } from './send-memory.ts';

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

const MiB = 1024 * 1024;

/** Budgets with room for a number of chunks. */
const memoryFor = (chunks: number) => ({
  files: new SendMemory({ bytesMax: chunks * block }),
  streams: new SendMemory({ bytesMax: (chunks + 1) * 2 * MiB - 1 }),
});

function send(
  client: Client,
  memory: ReturnType<typeof memoryFor>,
  { canResume = true, signal = new AbortController().signal, resume = read } = {},
) {
  const response = client as unknown as ServerResponse;
  const answer = { status: 200, headers: {}, body: resume(0), ...(canResume && { resume }) };
  return sendBody(answer, { response, signal, ...memory, onBytes: async () => {} });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each([true, false])('a body reaches a fast client whole, resumable %s', async (canResume) => {
  const client = new Client();
  await send(client, memoryFor(1), { canResume });
  expect(client.bytes.equals(content)).toBe(true);
});

test('slow clients beyond the budget hold no block, and get every byte', async () => {
  const memory = memoryFor(2);
  const clients = Array.from({ length: 50 }, () => new Client(true));
  const sent = Promise.all(clients.map((client) => send(client, memory)));
  for (let turns = 0; turns < 5; turns++) await turn();
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
  expect(memory.files.bytes).toBe(0);
});

test('a client that the kernel serves reads each block once, also while memory is short', async () => {
  const memory = memoryFor(0);
  let reads = 0;
  const client = new Client(true);
  const resume = (offset: number) => {
    reads++;
    return read(offset);
  };
  // The kernel takes the bytes: `write` returns false and `drain` follows in the same turn.
  client.write = (bytes) => {
    client.parts.push(Uint8Array.from(bytes));
    process.nextTick(() => client.emit('drain'));
    return false;
  };
  await send(client, memory, { resume });
  expect([client.bytes.equals(content), reads]).toEqual([true, 1]);
});

test('bodies that can be read once wait for memory, in order, and not for files', async () => {
  const memory = memoryFor(0);
  const slow = new Client(true);
  const stopped = new AbortController();
  memory.streams = new SendMemory({ bytesMax: 2 * MiB });
  const file = send(new Client(true), memory, { signal: stopped.signal });
  const first = send(slow, memory, { canResume: false, signal: stopped.signal });
  const next = new Client();
  const second = send(next, memory, { canResume: false });
  await turn();
  expect([slow.bytes.length > 0, next.bytes.length, memory.streams.waiting]).toEqual([true, 0, 1]);
  stopped.abort(new Error('the client closed the connection'));
  await expect(first).rejects.toThrow('closed');
  await expect(file).rejects.toThrow('closed');
  await second;
  expect(next.bytes.equals(content)).toBe(true);
  expect(memory.streams.bytes).toBe(0);
});

test('a response that ends while it waits leaves its place', async () => {
  const memory = memoryFor(0);
  const stopped = new AbortController();
  const waits = send(
    new Client(),
    { ...memory, streams: new SendMemory({ bytesMax: 1 }) },
    { canResume: false, signal: stopped.signal },
  );
  await turn();
  stopped.abort(new Error('the client closed the connection'));
  await expect(waits).rejects.toThrow('closed');
  expect(memory.streams.waiting).toBe(0);
});

test('a lent buffer is given back when the client has taken its bytes, and never after an error', async () => {
  const buffers = new BufferPool({ bytesMax: 8 * MiB });
  async function* lent(offset: number): AsyncGenerator<Uint8Array> {
    for await (const bytes of read(offset)) {
      const buffer = buffers.take(bytes.length) ?? new Uint8Array();
      buffer.set(bytes);
      yield buffer;
    }
  }
  const written: ((error?: Error) => void)[] = [];
  const freeBytes: number[] = [];
  const client = new Client();
  client.write = ((bytes: Uint8Array, onWritten: (error?: Error) => void) => {
    client.parts.push(Uint8Array.from(bytes));
    written.push(onWritten);
    freeBytes.push(buffers.freeBytes);
    return true;
  }) as never;
  const answer = { status: 200, headers: {}, body: lent(0), resume: lent, buffers };
  const sending = { signal: new AbortController().signal, ...memoryFor(8), onBytes: async () => {} };
  await sendBody(answer, { response: client as unknown as ServerResponse, ...sending });
  expect([client.bytes.equals(content), freeBytes, buffers.freeBytes]).toEqual([true, [0, 0, 0], 0]);
  written[0]?.();
  written[1]?.(new Error('the client closed the connection'));
  expect(buffers.freeBytes).toBe(block);
});
