import { afterEach, expect, test } from '@jest/globals';
import type { Stream } from '@libp2p/interface';
import { Uint8ArrayList } from 'uint8arraylist';
import { createNode } from './create-node.ts';
import { bitswapProtocol } from './libp2p-transport.ts';
import { type DispatchingMuxer, type NegotiatedStream, negotiateDirectly } from './negotiate-directly.ts';
import { incomingFromStream } from './stream-adapters.ts';

const negotiation = Buffer.from(`\x13/multistream/1.0.0\n\x14${bitswapProtocol}\n`);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Opens a stream of a muxer, whose events are listed in order. */
function open({ isHandled = true, writeStatus = 'writable' } = {}) {
  const events: string[] = [];
  let onPassed = () => {};
  const passed = new Promise<void>((resolve) => {
    onPassed = resolve;
  });
  const muxer: DispatchingMuxer = {
    safeDispatchEvent(type) {
      events.push(`${type} of ${stream.protocol || 'any protocol'}`);
      onPassed();
      return true;
    },
  };
  const stream: NegotiatedStream = {
    protocol: '',
    readBufferLength: 0,
    writeStatus,
    onData: (data) => void events.push(`data ${Buffer.from(data.subarray()).toString()}`),
    send: (data) => {
      events.push(`answer ${Buffer.from(data).equals(negotiation)}`);
      return true;
    },
  };
  negotiateDirectly(muxer, () => isHandled);
  muxer.safeDispatchEvent('stream', { detail: stream });
  return { events, stream, muxer, passed };
}

test('a stream that begins with bitswap is accepted with one answer, and its handler gets the other bytes', () => {
  const { events, stream } = open();
  expect(events).toEqual([]);
  stream.onData(new Uint8ArrayList(negotiation.subarray(0, 7), negotiation.subarray(7), Buffer.from('wants')));
  stream.onData(Buffer.from('more'));
  expect(events).toEqual(['answer true', `stream of ${bitswapProtocol}`, 'data wants', 'data more']);
});

test.each([
  ['of another protocol', {}, Buffer.from('\x13/multistream/1.0.0\n\x07/other\n')],
  ['with an incomplete negotiation', {}, negotiation.subarray(0, -1)],
  ['of a node that does not serve bitswap', { isHandled: false }, negotiation],
  ['that is reset', { writeStatus: 'closed' }, negotiation],
])('a stream %s is passed on with all of its bytes', (_, options, bytes) => {
  const { events, stream } = open(options);
  stream.onData(bytes);
  expect(events).toEqual(['stream of any protocol', `data ${bytes}`]);
});

test('a stream without data is passed on after a while, and other events immediately', async () => {
  const { events, stream, muxer, passed } = open();
  muxer.safeDispatchEvent('close');
  expect(events).toEqual(['close of any protocol']);
  await passed;
  stream.onData(negotiation);
  const early = open();
  early.muxer.safeDispatchEvent('stream', { detail: { ...early.stream, readBufferLength: 1 } });
  expect(early.events).toEqual(['stream of any protocol']);
});

test('nodes of js-libp2p agree on bitswap, on another protocol, and on the refusal of an unknown one', async () => {
  const [alice, bob] = [await createNode(), await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] })];
  closing.push(
    () => alice.stop(),
    () => bob.stop(),
  );
  const [address] = bob.getMultiaddrs();
  if (address === undefined) throw new Error('The node has no address.');
  for (const protocol of [bitswapProtocol, '/test/1']) {
    const received = new Promise<string>((resolve) => {
      void bob.handle(protocol, (stream) => {
        stream.addEventListener('message', ({ data }) => resolve(`${stream.protocol} ${Buffer.from(data.subarray())}`));
      });
    });
    const stream = await alice.dialProtocol(address, protocol);
    stream.send(Buffer.from('hello'));
    expect(await received).toBe(`${protocol} hello`);
  }
  await bob.unhandle(bitswapProtocol);
  await expect(alice.dialProtocol(address, bitswapProtocol)).rejects.toThrow(/protocol/i);
});

test('a stream that the other side closed before it had a reader ends', async () => {
  let closes = 0;
  const stream = Object.assign(new EventTarget(), {
    remoteWriteStatus: 'closed',
    readStatus: 'readable',
    readBufferLength: 0,
    close: async () => void closes++,
  });
  for await (const bytes of incomingFromStream(stream as unknown as Stream)) expect(bytes).toBe('nothing');
  expect(closes).toBe(1);
});
