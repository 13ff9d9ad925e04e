import type { Block } from '@cairn/blockstore/core';
import { CID, cidFor, digest } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BlockExchange, Provider } from '../block-exchange.ts';

/** Exchange under test with nodes to fetch from. */
export interface ExchangeHarness {
  readonly exchange: BlockExchange;
  /** Starts a node without blocks. The exchange does not find it without its provider. */
  startNode(): Promise<RemoteNode>;
  /** Starts a node that answers each request for a block with other bytes. */
  startWrongNode(): Promise<Provider>;
  /** Stops the nodes. The suite closes the exchange. */
  stop(): Promise<void>;
}

/** Node from which the exchange fetches. */
export interface RemoteNode {
  readonly provider: Provider;
  /** Stores blocks. A waiting exchange gets them within the time of {@link ExchangeSuiteOptions.waitMs}. */
  put(blocks: readonly Block[]): Promise<void>;
}

export interface ExchangeSuiteOptions {
  /** Time that a test waits before it aborts a fetch of an absent block, in milliseconds. Default: 200. */
  readonly waitMs?: number;
}

const block = (text: string): Block => {
  const bytes = new TextEncoder().encode(text.padEnd(3000, '.'));
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
};
const blocks = (count: number) => Array.from({ length: count }, (_, number) => block(`block ${number} `));
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Contract suite of a {@link BlockExchange}. The spec of an adapter is one call. */
export function describeBlockExchange(
  name: string,
  create: () => Promise<ExchangeHarness>,
  { waitMs = 200 }: ExchangeSuiteOptions = {},
): void {
  describe(`${name} as a BlockExchange`, () => {
    let harness: ExchangeHarness;
    let exchange: BlockExchange;
    beforeEach(async () => {
      harness = await create();
      ({ exchange } = harness);
    });
    afterEach(async () => {
      await exchange.close();
      await harness.stop();
    });

    describeFetch(() => harness, waitMs);
    describeSessions(() => harness, waitMs);

    test('peers reports the traffic with a node', async () => {
      const node = await harness.startNode();
      const { cid, bytes } = block('a');
      await node.put([{ cid, bytes }]);
      await exchange.fetch(cid, { providers: [node.provider] });
      const [peer] = exchange.peers().filter(({ blocksReceived }) => blocksReceived > 0);
      expect(peer).toMatchObject({ blocksReceived: 1, blocksSent: 0, bytesSent: 0 });
      expect(peer?.bytesReceived).toBeGreaterThanOrEqual(bytes.length);
      if (node.provider.peer !== undefined) expect(peer?.peer).toBe(node.provider.peer);
    });

    test('announce accepts blocks that nothing waits for', () => {
      exchange.announce([block('a').cid, block('b').cid]);
      exchange.announce([]);
    });

    test('close ends open fetches, refuses further ones, and may be repeated', async () => {
      const node = await harness.startNode();
      const open = exchange.fetch(block('absent').cid, { providers: [node.provider] });
      const inSession = exchange.openSession({ providers: [node.provider] }).fetch(block('other').cid);
      const results = Promise.allSettled([open, inSession]);
      await exchange.close();
      expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      await expect(exchange.fetch(block('a').cid, { providers: [node.provider] })).rejects.toThrow();
      await exchange.close();
    });
  });
}

function describeFetch(harness: () => ExchangeHarness, waitMs: number): void {
  test('fetch returns the bytes of blocks of a provider', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const list = blocks(50);
    await node.put(list);
    const fetched = await Promise.all(list.map(({ cid }) => exchange.fetch(cid, { providers: [node.provider] })));
    expect(fetched.map(text)).toEqual(list.map(({ bytes }) => text(bytes)));
  });

  test('fetch returns blocks of CIDv0, of other codecs, and of other hash functions', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const { bytes } = block('a');
    const cids = [
      cidFor(bytes, { codec: 'dag-pb', version: 0 }),
      cidFor(bytes, { codec: 'dag-cbor' }),
      cidFor(bytes, { codec: 'raw', hash: 'blake3' }),
    ];
    await node.put(cids.map((cid) => ({ cid, bytes })));
    for (const cid of cids) expect(text(await exchange.fetch(cid, { providers: [node.provider] }))).toBe(text(bytes));
  });

  test('fetch waits for a block that a provider stores later', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const { cid, bytes } = block('late');
    const fetching = exchange.fetch(cid, { providers: [node.provider] });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await node.put([{ cid, bytes }]);
    expect(text(await fetching)).toBe(text(bytes));
  });

  test('fetch throws the reason of its signal', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const reason = new Error('the client went away');
    const cid = block('absent').cid;
    await expect(exchange.fetch(cid, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const fetching = exchange.fetch(cid, { signal: abort.signal, providers: [node.provider] });
    setTimeout(() => abort.abort(reason), waitMs);
    await expect(fetching).rejects.toBe(reason);
  });

  test('equal fetches get equal bytes, and the end of one does not end the other', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const { cid, bytes } = block('shared');
    const abort = new AbortController();
    const providers = [node.provider];
    const aborted = exchange.fetch(cid, { signal: abort.signal, providers });
    const kept = [exchange.fetch(cid, { providers }), exchange.fetch(cid, { providers })];
    abort.abort(new Error('one ended'));
    await expect(aborted).rejects.toThrow('one ended');
    await node.put([{ cid, bytes }]);
    expect((await Promise.all(kept)).map(text)).toEqual([text(bytes), text(bytes)]);
  });

  test('fetch returns an identity block without a provider and refuses an unsafe hash', async () => {
    const { exchange } = harness();
    const identity = cidFor(new TextEncoder().encode('inline'), { codec: 'raw', hash: 'identity' });
    expect(text(await exchange.fetch(identity))).toBe('inline');
    const unsafe = CID.createV1(0x55, digest(0x12, new Uint8Array(4), 10));
    await expect(exchange.fetch(unsafe)).rejects.toMatchObject({ code: 'HASH_UNSUPPORTED' });
  });

  test('fetch never returns wrong bytes and gets the block from another provider', async () => {
    const { exchange, startNode, startWrongNode } = harness();
    const wrong = await startWrongNode();
    const { cid, bytes } = block('a');
    const alone = AbortSignal.timeout(waitMs);
    await expect(exchange.fetch(cid, { signal: alone, providers: [wrong] })).rejects.toThrow();
    const node = await startNode();
    await node.put([{ cid, bytes }]);
    expect(text(await exchange.fetch(cid, { providers: [wrong, node.provider] }))).toBe(text(bytes));
  });
}

function describeSessions(harness: () => ExchangeHarness, waitMs: number): void {
  test('a session fetches from its providers, also from those that are added later', async () => {
    const { exchange, startNode } = harness();
    const [first, second] = [await startNode(), await startNode()];
    const [a, b] = [block('a'), block('b')];
    await first.put([a]);
    await second.put([b]);
    const session = exchange.openSession({ providers: [first.provider] });
    const waiting = session.fetch(b.cid);
    expect(text(await session.fetch(a.cid))).toBe(text(a.bytes));
    session.addProviders([second.provider]);
    expect(text(await waiting)).toBe(text(b.bytes));
    session.close();
  });

  test('the close of a session ends its fetches, and an equal fetch of another session continues', async () => {
    const { exchange, startNode } = harness();
    const node = await startNode();
    const { cid, bytes } = block('a');
    const [closed, open] = [
      exchange.openSession({ providers: [node.provider] }),
      exchange.openSession({ providers: [node.provider] }),
    ];
    const ended = closed.fetch(cid);
    const kept = open.fetch(cid);
    closed.close();
    await expect(ended).rejects.toThrow();
    await expect(closed.fetch(cid)).rejects.toThrow();
    closed.close();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await node.put([{ cid, bytes }]);
    expect(text(await kept)).toBe(text(bytes));
    open.close();
  });
}
