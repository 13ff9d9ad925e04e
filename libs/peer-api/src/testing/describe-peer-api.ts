import type { Provider } from '@cairn/block-exchange';
import type { Block } from '@cairn/blockstore/core';
import { type CID, cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PeerApi, RoutingEvent } from '../peer-api.ts';

/** Adapter under test, with one other node. */
export interface PeerApiFixture {
  readonly api: PeerApi;
  /** Other node, not connected yet. */
  readonly other: { readonly peer: string; readonly address: string };
  /** Gives the other node a block. */
  offer(block: Block): void | Promise<void>;
  close(): Promise<void>;
}

const seconds = 1000;
const stranger = '12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp';

function newBlock(text: string): Block {
  const bytes = new TextEncoder().encode(text);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Contract of every {@link PeerApi}. */
export function describePeerApi(name: string, open: () => Promise<PeerApiFixture>): void {
  describe(`PeerApi: ${name}`, () => {
    let fixture: PeerApiFixture;
    let api: PeerApi;
    let provider: Provider;
    beforeEach(async () => {
      fixture = await open();
      api = fixture.api;
      const { peer, address } = fixture.other;
      provider = { peer, addresses: [address] };
    });
    afterEach(() => fixture.close());
    const within = () => ({ signal: AbortSignal.timeout(60 * seconds), providers: [provider] });

    describe('exchange', () => {
      test('a fetched block has its bytes, also an empty and a long one', async () => {
        for (const text of ['fetched', '', 'x'.repeat(1024 * 1024)]) {
          const { cid, bytes } = newBlock(text);
          await fixture.offer({ cid, bytes });
          expect(Buffer.from(await api.exchange.fetch(cid, within())).equals(bytes)).toBe(true);
        }
      });

      test('equal fetches, sessions and many blocks share providers', async () => {
        const blocks = Array.from({ length: 200 }, (_, index) => newBlock(`block ${index}`));
        for (const block of blocks) await fixture.offer(block);
        const session = api.exchange.openSession({ providers: [provider] });
        const cids = blocks.flatMap(({ cid }): CID[] => [cid, cid]);
        const { signal } = within();
        const fetched = await Promise.all(cids.map((cid) => session.fetch(cid, { signal })));
        expect(fetched.map((bytes) => Buffer.from(bytes).toString())).toEqual(
          blocks.flatMap(({ bytes }) => [Buffer.from(bytes).toString(), Buffer.from(bytes).toString()]),
        );
        session.close();
      });

      test('a fetch ends with the reason of its signal, and another one of the block continues', async () => {
        const { cid, bytes } = newBlock('later');
        const ended = new AbortController();
        const reason = new Error('enough');
        const first = api.exchange.fetch(cid, { ...within(), signal: ended.signal });
        const second = api.exchange.fetch(cid, within());
        setTimeout(() => ended.abort(reason), 20);
        await expect(first).rejects.toBe(reason);
        await fixture.offer({ cid, bytes });
        expect(Buffer.from(await second).equals(bytes)).toBe(true);
        await expect(api.exchange.fetch(cid, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      });

      test('close of a session ends its fetches', async () => {
        const session = api.exchange.openSession({ providers: [] });
        const open = session.fetch(newBlock('never').cid);
        setTimeout(() => session.close(), 20);
        await expect(open).rejects.toBeInstanceOf(Error);
        await expect(session.fetch(newBlock('never').cid)).rejects.toBeInstanceOf(Error);
      });

      test('providers that are added later are used', async () => {
        const { cid, bytes } = newBlock('added');
        await fixture.offer({ cid, bytes });
        const session = api.exchange.openSession({ providers: [] });
        const open = session.fetch(cid, { signal: AbortSignal.timeout(60 * seconds) });
        session.addProviders([provider]);
        expect(Buffer.from(await open).equals(bytes)).toBe(true);
        session.close();
      });
    });

    test('describe returns this node with addresses that end with its peer ID', async () => {
      const own = await api.describe();
      expect(own.id).toMatch(/^12D3KooW/);
      for (const address of own.addresses) expect(address.endsWith(`/p2p/${own.id}`)).toBe(true);
      expect(own.protocols).toContain('/ipfs/bitswap/1.2.0');
    });

    test('describe with isLocal returns a known node, and refuses an unknown one', async () => {
      const { peer, address } = fixture.other;
      await api.swarm.connect(address);
      expect(await api.describe(peer, { isLocal: true })).toMatchObject({ id: peer, protocols: expect.any(Array) });
      await expect(api.describe(stranger, { isLocal: true })).rejects.toMatchObject({ code: 'PEER_NOT_FOUND' });
      await api.swarm.disconnect(address);
    });

    test('connect and disconnect are visible in the list of peers', async () => {
      const { peer, address } = fixture.other;
      expect(await api.swarm.connect(address)).toEqual({ peer });
      expect((await api.swarm.peers()).map((open) => [open.peer, open.direction])).toEqual([[peer, 'outbound']]);
      expect(await api.swarm.disconnect(address)).toEqual({ peer });
      expect(await api.swarm.peers()).toEqual([]);
      await expect(api.swarm.disconnect(address)).rejects.toMatchObject({ code: 'PEER_NOT_CONNECTED' });
      await expect(api.swarm.connect('/ip4/127.0.0.1/tcp/1')).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
      await expect(api.swarm.connect(`/ip4/127.0.0.1/tcp/1/p2p/${stranger}`)).rejects.toMatchObject({
        code: 'DIAL_FAILED',
      });
    });

    test('peering is listed until it is removed', async () => {
      const { peer, address } = fixture.other;
      expect(await api.swarm.addPeering(address)).toEqual({ peer });
      expect((await api.swarm.peering()).map((peered) => peered.peer)).toEqual([peer]);
      await api.swarm.removePeering(peer);
      expect(await api.swarm.peering()).toEqual([]);
    });

    test('address filters are listed until they are removed, and a wrong one adds none', async () => {
      expect(await api.swarm.filters()).toEqual([]);
      const [ten, eleven] = ['/ip4/203.0.113.0/ipcidr/24', '/ip6/2001:db8::/ipcidr/32'];
      await api.swarm.addFilters([ten, eleven]);
      expect(await api.swarm.filters()).toEqual([ten, eleven]);
      await expect(api.swarm.addFilters(['/ip4/198.51.100.0/ipcidr/24', 'nonsense'])).rejects.toMatchObject({
        code: 'ADDRESS_INVALID',
      });
      expect(await api.swarm.removeFilters([ten, '/ip4/192.0.2.0/ipcidr/24'])).toEqual([ten]);
      expect(await api.swarm.filters()).toEqual([eleven]);
      await api.swarm.removeFilters([eleven]);
    });

    test('ping streams as many answers as requested', async () => {
      await api.swarm.connect(fixture.other.address);
      const answers = await collect(api.ping(fixture.other.peer, { count: 3 }));
      expect(answers.filter(({ isSuccess }) => isSuccess)).toHaveLength(3);
    });

    test('the bandwidth of a peer and of a protocol grows with a fetch', async () => {
      const { cid, bytes } = newBlock('x'.repeat(50_000));
      await fixture.offer({ cid, bytes });
      await api.exchange.fetch(cid, within());
      const { totalIn } = await api.bandwidth();
      const filters = [{ peer: fixture.other.peer }, { protocol: '/ipfs/bitswap/1.2.0' }];
      for (const filter of filters) {
        const part = await api.bandwidth(filter);
        expect(part.totalIn).toBeGreaterThanOrEqual(bytes.length);
        expect(part.totalIn).toBeLessThanOrEqual(totalIn);
      }
      expect((await api.bandwidth({ peer: stranger })).totalIn).toBe(0);
    });

    test('counters are numbers', async () => {
      expect(Object.values(await api.bandwidth()).every((value) => value >= 0)).toBe(true);
      const { wantlist, blocksReceived } = await api.bitswap.status();
      expect([wantlist, blocksReceived]).toEqual([[], 0]);
      expect(await api.bitswap.ledger(fixture.other.peer)).toMatchObject({ peer: fixture.other.peer, sentBytes: 0 });
      expect(await api.bitswap.wantlist(fixture.other.peer)).toEqual([]);
    });

    test('an absent record is not found, and a search for a stranger ends', async () => {
      await expect(api.routing.get(Buffer.from('/pk/none'))).rejects.toMatchObject({
        code: expect.stringMatching(/^(RECORD_NOT_FOUND|ROUTING_UNAVAILABLE)$/),
      });
      const search = async (): Promise<RoutingEvent[]> => collect(api.routing.findPeer(stranger));
      await expect(search()).rejects.toMatchObject({
        code: expect.stringMatching(/^(PEER_NOT_FOUND|ROUTING_UNAVAILABLE)$/),
      });
    });
  });
}
