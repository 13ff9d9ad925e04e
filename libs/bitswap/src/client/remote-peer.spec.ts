import { expect, test } from '@jest/globals';
import { bitswapLimits } from '../limits.ts';
import { createMemoryNetwork } from '../testing/memory-network.ts';
import { RemotePeer } from './remote-peer.ts';

const peer = () => {
  const transport = createMemoryNetwork().transport('here');
  return new RemotePeer({ peer: 'there' }, { transport, limits: bitswapLimits, onFailure: () => {} });
};

test('a full window has room again when a quarter of it is free', () => {
  const remote = peer();
  remote.window = 64;
  for (; remote.hasRoom; remote.inFlight++);
  expect(remote.inFlight).toBe(64);
  const room = [];
  for (remote.inFlight = 63; remote.inFlight >= 47; remote.inFlight--) room.push(remote.hasRoom);
  expect(room.indexOf(true)).toBe(63 - 48);
  for (remote.inFlight = 48; remote.hasRoom; remote.inFlight++);
  expect(remote.inFlight).toBe(64);
});

test('a window of any size has room when nothing is in flight', () => {
  for (let window = 1; window <= 64; window++) {
    const remote = peer();
    remote.window = window;
    for (; remote.hasRoom; remote.inFlight++);
    expect(remote.inFlight).toBe(window);
    remote.inFlight = 0;
    expect(remote.hasRoom).toBe(true);
  }
});
