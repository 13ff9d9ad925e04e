import { expect, test } from '@jest/globals';
import type { MultiaddrConnection, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { BandwidthMeter } from './bandwidth-meter.ts';

/** A connection or stream whose messages a test creates. */
function fakeChannel(fields: object) {
  const channel = new EventTarget();
  const sent: number[] = [];
  const send = ({ byteLength }: Uint8Array) => sent.push(byteLength) > 0;
  Object.assign(channel, { send, ...fields });
  return {
    channel: channel as unknown as MultiaddrConnection & Stream,
    sent,
    receive: (bytes: number) =>
      void channel.dispatchEvent(Object.assign(new Event('message'), { data: new Uint8Array(bytes) })),
    close: () => void channel.dispatchEvent(new Event('close')),
  };
}

const remoteAddr = multiaddr('/ip4/203.0.113.5/tcp/4001');
const remotePeer = { toString: () => 'peer' } as never;

test('BandwidthMeter counts connections in all and by peer, also bytes before the peer is known', () => {
  let now = 0;
  const meter = new BandwidthMeter(() => now);
  const { channel, receive, sent } = fakeChannel({ remoteAddr });
  meter.metrics().trackMultiaddrConnection(channel);
  receive(100);
  channel.send(new Uint8Array(10));
  meter.opened({
    remoteAddr: multiaddr(`${remoteAddr}/p2p/12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2`),
    remotePeer,
  });
  receive(900);
  expect(sent).toEqual([10]);
  for (const part of [{}, { peer: 'peer' }])
    expect(meter.read(part)).toEqual({ totalIn: 1000, totalOut: 10, rateIn: 100, rateOut: 1 });
  expect(meter.read({ peer: 'other' })).toEqual({ totalIn: 0, totalOut: 0, rateIn: 0, rateOut: 0 });
  now = 60_000;
  expect(meter.read()).toEqual({ totalIn: 1000, totalOut: 10, rateIn: 0, rateOut: 0 });
});

test('BandwidthMeter counts streams by protocol and keeps a bounded number of names', () => {
  const meter = new BandwidthMeter(() => 0);
  const first = fakeChannel({ protocol: '/first/1' });
  meter.metrics().trackProtocolStream(first.channel);
  first.receive(5);
  expect(meter.read({ protocol: '/first/1' })).toMatchObject({ totalIn: 5, totalOut: 0 });
  for (let index = 0; index < 5000; index++)
    meter.metrics().trackProtocolStream(fakeChannel({ protocol: `/name/${index}` }).channel);
  expect(meter.read({ protocol: '/first/1' }).totalIn).toBe(0);
});

test('rates are averages over ten seconds', () => {
  let now = 0;
  const meter = new BandwidthMeter(() => now);
  const { channel, receive, close } = fakeChannel({ remoteAddr });
  meter.metrics().trackMultiaddrConnection(channel);
  for (; now < 19_000; now += 1000) receive(50);
  receive(50);
  expect(meter.read().rateIn).toBe(50);
  now = 24_000;
  expect(meter.read().rateIn).toBe(25);
  close();
  expect(meter.read()).toMatchObject({ totalIn: 1000, rateIn: 25 });
});

test('BandwidthMeter adds no listener, since a stream keeps messages until its protocol listens', () => {
  const listened: string[] = [];
  const { channel } = fakeChannel({ remoteAddr, addEventListener: (type: string) => listened.push(type) });
  new BandwidthMeter(() => 0).metrics().trackMultiaddrConnection(channel);
  new BandwidthMeter(() => 0).metrics().trackProtocolStream(channel);
  expect(listened).toEqual(['close']);
});
