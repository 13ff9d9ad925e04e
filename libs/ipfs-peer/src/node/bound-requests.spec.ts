import { expect, test } from '@jest/globals';
import type { Connection, StreamHandler } from '@libp2p/interface';
import type { KadDHT, KadDHTComponents } from '@libp2p/kad-dht';
import fc from 'fast-check';
import { peerLimits } from '../limits.ts';
import { boundRequests, MessageLengths, withHandlers } from './bound-requests.ts';

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

const message = (length: number) => [...varint(length), ...new Array<number>(length).fill(0xff)];

/** The list of arrays of js-libp2p, as far as it is read here. */
const listOf = (bytes: Uint8Array) => ({ byteLength: bytes.length, get: (index: number) => bytes[index] as number });

test('MessageLengths finds the length of each message, at any division of the stream', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      fc.boolean(),
      (messages, sizes, isList) => {
        const bytes = Uint8Array.from(messages.flatMap(message));
        const lengths = new MessageLengths();
        let longest = 0;
        for (let at = 0, part = 0; at < bytes.length; part++) {
          const chunk = bytes.subarray(at, at + (sizes[part % sizes.length] as number));
          longest = Math.max(longest, lengths.read(isList ? listOf(chunk) : chunk));
          at += chunk.length;
        }
        expect(longest).toBe(Math.max(...messages));
      },
    ),
  );
});

test('MessageLengths reports a long length before it is complete', () => {
  expect(new MessageLengths().read(Uint8Array.of(255, 255, 255))).toBe(2 ** 21 - 1);
});

function fakeStream() {
  const handled: number[] = [];
  const stream = Object.assign(new EventTarget(), {
    readStatus: 'readable',
    aborted: undefined as Error | undefined,
    pause: () => {
      stream.readStatus = 'paused';
    },
    resume: () => {
      stream.readStatus = 'readable';
    },
    abort: (reason: Error) => {
      stream.aborted = reason;
    },
  });
  stream.addEventListener('message', (event) => handled.push((event as Event & { data: Uint8Array }).data.byteLength));
  const receive = (data: Uint8Array) => stream.dispatchEvent(Object.assign(new Event('message'), { data }));
  return { stream, handled, receive };
}

const limits = { ...peerLimits, requestBytesMax: 1000 };
const nothing = () => {};

test('a request over the limit ends its stream before it is buffered, also in parts', async () => {
  const { stream, handled, receive } = fakeStream();
  await boundRequests(limits)(nothing)(stream as never, {} as Connection);
  receive(Uint8Array.from(message(1000)));
  expect(handled).toEqual([1002]);
  receive(Uint8Array.of(0xe9));
  receive(Uint8Array.of(0x07));
  await Promise.resolve();
  expect(stream.aborted?.message).toBe('a request has 1001 bytes, and the limit is 1000');
  expect(handled).toEqual([1002, 1]);
});

test('the handlers of a DHT are wrapped, each stream once', async () => {
  const handlers: StreamHandler[] = [];
  const registrar = { name: 'registrar', handle: (_: string, handler: StreamHandler) => void handlers.push(handler) };
  const handled: unknown[] = [];
  const create = ({ registrar: given }: KadDHTComponents) => {
    void given.handle('/kad', (stream) => void handled.push(stream));
    return given as unknown as KadDHT;
  };
  const wrap = (handler: StreamHandler): StreamHandler => {
    return (stream, connection) => handler([stream, 'wrapped'] as never, connection);
  };
  const dht = withHandlers(create, wrap)({ registrar } as never) as unknown as typeof registrar;
  expect(dht.name).toBe('registrar');
  for (const name of ['a', 'b', 'c']) await handlers[0]?.(name as never, {} as Connection);
  expect(handled).toEqual([
    ['a', 'wrapped'],
    ['b', 'wrapped'],
    ['c', 'wrapped'],
  ]);
});

test('a connection over its rate waits, and another one is read', async () => {
  const handler = boundRequests({ ...limits, requestBytesOfConnectionPerSecondMax: 10_000 })(nothing);
  const [busy, sibling, other] = [fakeStream(), fakeStream(), fakeStream()];
  const connection = {} as Connection;
  await handler(busy.stream as never, connection);
  await handler(sibling.stream as never, connection);
  await handler(other.stream as never, {} as Connection);
  for (let count = 0; count < 11; count++) busy.receive(Uint8Array.from(message(1000)));
  sibling.receive(Uint8Array.from(message(1000)));
  other.receive(Uint8Array.from(message(1000)));
  expect([busy, sibling, other].map(({ stream }) => stream.readStatus)).toEqual(['paused', 'paused', 'readable']);
  while (busy.stream.readStatus === 'paused') await new Promise((resolve) => setTimeout(resolve, 10));
});
