// A client that loses its connection at any event and resumes sees the same chain as one that stays connected.
import type { Hex } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseLastSeen } from './resume-point.ts';
import { topicOfSubscription } from './subscription-id.ts';
import { addresses, eventually, hashOf, type SeenEvent, TestChain, TestClient } from './test-chain.fixture.ts';
import { parseTopic } from './topic.ts';

const address = addresses[0];
const logsTopic = parseTopic('logs', { value: { address } });

/** Moves of the head. Before a move, the connection may be cut after some events of the move. */
const path = fc.stringMatching(/^[abc]{0,7}$/);
const move = fc.record({ to: path, cutAfter: fc.option(fc.nat(6)), isAwayFor: fc.array(path, { maxLength: 3 }) });

/** The canonical logs as a client derives them. Throws for an event that is delivered twice, or removed without being added. */
class LogView {
  readonly live = new Set<string>();

  apply({ blockHash, logIndex, removed }: SeenEvent): void {
    const log = `${blockHash} ${Number(logIndex)}`;
    if (this.live.has(log) !== removed)
      throw new Error(`${log} was ${removed ? 'removed before it was added' : 'added twice'}.`);
    if (removed) this.live.delete(log);
    else this.live.add(log);
  }
}

/** A client that sees only the first events of each connection, and resumes after the last of them. */
class CutClient {
  readonly #chain: TestChain;
  readonly view = new LogView();
  readonly order: string[] = [];
  #client: TestClient;
  #id: string | undefined;
  #taken = 0;
  #last: unknown;

  constructor(chain: TestChain, last: unknown) {
    this.#chain = chain;
    this.#client = new TestClient(chain);
    this.#last = last;
  }

  async start(): Promise<void> {
    this.#id = await this.#client.subscriptions.add(logsTopic);
    this.#client.subscriptions.start([this.#id]);
  }

  /** Takes events until none follows, or `most`. */
  async take(most = Number.POSITIVE_INFINITY): Promise<void> {
    for (let taken = 0; taken < most; taken++) {
      const events = () => this.#client.of<SeenEvent>(this.#id ?? '');
      let quietTurns = 0;
      while (events().length <= this.#taken && quietTurns++ < 60) await new Promise((resolve) => setImmediate(resolve));
      const next = events()[this.#taken];
      if (next === undefined) return;
      this.#taken++;
      this.#last = next;
      this.order.push(`${next.removed ? '-' : '+'}${next.blockHash} ${Number(next.logIndex)}`);
      this.view.apply(next);
    }
  }

  async reconnect(): Promise<void> {
    this.#client.subscriptions.close();
    this.#client = new TestClient(this.#chain);
    this.#taken = 0;
    const id = this.#id ?? '';
    const topic = topicOfSubscription(id, undefined, undefined);
    await this.#client.subscriptions.resume(id, topic, parseLastSeen('last', this.#last));
    this.#client.subscriptions.start([id]);
  }

  cut(): void {
    this.#client.subscriptions.close();
  }
}

test.each([
  ['local', false],
  ['remote', true],
])('over a %s chain, a resumed client sees each log once and ends with the canonical logs', async (_, isRemote) => {
  await fc.assert(
    fc.asyncProperty(path, fc.array(move, { maxLength: 6 }), async (start, moves) => {
      const chain = new TestChain({ isRemote });
      chain.moveTo(start);
      const client = new CutClient(chain, { number: `0x${start.length.toString(16)}`, hash: hashOf(start) });
      await client.start();
      // Logs below the start of the subscription count as seen, as for every client that reads them first.
      for (const log of chain.logs(address)) client.view.live.add(log);
      for (const { to, cutAfter, isAwayFor } of moves) {
        chain.moveTo(to);
        if (cutAfter === null) await client.take();
        else {
          await client.take(cutAfter);
          client.cut();
          for (const away of isAwayFor) chain.moveTo(away);
          await client.reconnect();
        }
      }
      await client.take();
      expect([...client.view.live].sort()).toEqual(chain.logs(address).sort());
    }),
    { numRuns: isRemote ? 40 : 200 },
  );
});

test('without reorgs, a resumed client gets the same events in the same order as one that stays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.option(fc.nat(8))), { maxLength: 8 }),
      async (steps) => {
        const chain = new TestChain();
        const stays = new CutClient(chain, undefined);
        const leaves = new CutClient(chain, { number: '0x0', hash: hashOf('') });
        await Promise.all([stays.start(), leaves.start()]);
        for (const [blocks, cutAfter] of steps) {
          chain.moveTo(`${chain.path}${'abcba'.slice(0, blocks)}`);
          if (cutAfter !== null) {
            await leaves.take(cutAfter);
            await leaves.reconnect();
          }
        }
        await Promise.all([stays.take(), leaves.take()]);
        expect(leaves.order).toEqual(stays.order);
      },
    ),
    { numRuns: 60 },
  );
});

test('newHeads and transactionReceipts resume after the last block', async () => {
  const chain = new TestChain();
  chain.moveTo('aab');
  const client = new TestClient(chain);
  const last = parseLastSeen('last', { number: '0x2', hash: hashOf('aa') });
  await client.subscriptions.resume('0x1', { kind: 'newHeads' }, last);
  client.subscriptions.start(['0x1']);
  chain.moveTo('aacc');
  await eventually(() => client.of('0x1').length === 2);
  expect(client.of<{ hash: Hex }>('0x1').map(({ hash }) => hash)).toEqual([hashOf('aac'), hashOf('aacc')]);
  await expect(client.subscriptions.resume('0x1', { kind: 'newHeads' }, last)).rejects.toThrow(
    /^The subscription is active/,
  );
});

test('the last event is a block, a header, a log or a receipt', () => {
  const block = { number: 5n, hash: hashOf('a') };
  const [blockNumber, blockHash] = ['0x5', hashOf('a')];
  expect(parseLastSeen('last', { number: '0x5', hash: hashOf('a'), parentHash: hashOf('') })).toEqual({
    ...block,
    log: undefined,
  });
  expect(parseLastSeen('last', { blockNumber, blockHash, logIndex: '0x2', removed: true })).toEqual({
    ...block,
    log: { logIndex: 2n, removed: true },
  });
  expect(parseLastSeen('last', { blockNumber, blockHash, transactionIndex: '0x0' })).toEqual({
    ...block,
    log: undefined,
  });
  for (const value of [null, 5, [], {}, { number: '0x5' }, { number: 5, hash: blockHash }])
    expect(() => parseLastSeen('last', value)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
});

test.each([
  ['number', { hash: hashOf('a') }, 'but it is missing'],
  ['number', { number: null, hash: hashOf('a') }, 'got null'],
  ['hash', { number: '0x5' }, 'but it is missing'],
])('a last event without its %s is refused by the name of the field', (name, value, end) => {
  expect(() => parseLastSeen('last', value)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(new RegExp(`^last\\.${name}: expected .*, ${end}$`)),
      details: expect.objectContaining({ reason: `missing required field '${name}'` }),
    }),
  );
});
