import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidFor, parseCid } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { type LoopbackKubo, openHome, startLoopbackKubo } from './network.fixture.ts';

const hasKubo = peerBinary('kubo') !== undefined;
if (!hasKubo) process.stderr.write(`Serving policy with Kubo: ${howToEnable('kubo')}\n`);

(hasKubo ? describe : describe.skip)('the serving policy with a real Kubo', () => {
  let home: Awaited<ReturnType<typeof openHome>>;
  let service: RunningService;
  let api: PeerApi;
  let kubo: LoopbackKubo;
  const start = async (policy: string) => {
    home = await openHome();
    const started = await startLoopbackKubo();
    if (started === undefined) throw new Error(howToEnable('kubo'));
    kubo = started;
    service = await home.start({ IPFS_PEER_SERVE: policy });
    api = home.connect(service.url);
    await api.swarm.connect(kubo.address);
  };
  afterEach(async () => {
    await api?.close();
    await service?.stop();
    await kubo?.stop();
    await home?.close();
  });
  const put = async () => {
    const bytes = randomBytes(3000);
    const cid = cidFor(bytes, { codec: 'raw' });
    await home.store.putMany([{ cid, bytes }]);
    await home.store.sync();
    return cid.toString();
  };
  /** Asks Kubo for a block. The want is at the peer when this resolves. */
  const ask = async (cid: string) => {
    const answer = kubo.call(`block/get?arg=${cid}`);
    let isDone = false;
    const done = answer.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    const isWaiting = async () => (await api.bitswap.wantlist(kubo.peer)).some((want) => String(want) === cid);
    while (!isDone && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 20));
    return { done, isDone: () => isDone };
  };

  test('pinned: a waiting peer gets a block after its pin, and a released block no more', async () => {
    await start('pinned');
    const cid = await put();
    const asked = await ask(cid);
    const control = await put();
    await home.pin('alice', control);
    // A later request is served, so the earlier one was refused.
    await (await ask(control)).done;
    expect(asked.isDone()).toBe(false);
    await home.pin('alice', cid);
    await asked.done;
    await kubo.call(`block/rm?arg=${cid}`);
    await home.unpin('alice', cid);
    const other = await put();
    await home.pin('alice', other);
    // The next refresh of the index has applied the removal too.
    await (await ask(other)).done;
    const again = await ask(cid);
    expect(again.isDone()).toBe(false);
  });

  test('accounts: only pins of accounts that agreed are served, without a restart', async () => {
    await start('accounts');
    const { id } = await home.auth.createAccount({ name: 'alice' });
    const cid = await put();
    await home.pin(id, cid);
    const asked = await ask(cid);
    const { id: agreed } = await home.auth.createAccount({ name: 'bob' });
    await home.auth.setServing('bob', true);
    const control = await put();
    await home.pin(agreed, control);
    await (await ask(control)).done;
    expect(asked.isDone()).toBe(false);
    await home.auth.setServing('alice', true);
    await asked.done;
  });

  test('a denied block is neither served nor fetched, without a restart, and another block is', async () => {
    await start('pinned');
    const [denied, other] = [await put(), await put()];
    await home.pin('alice', denied);
    await home.pin('alice', other);
    await (await ask(denied)).done;
    await kubo.call(`block/rm?arg=${denied}`);
    const [remote = ''] = await kubo.add(randomBytes(3000));
    mkdirSync(join(home.home, 'denylists'));
    writeFileSync(join(home.home, 'denylists', 'local.deny'), `/ipfs/${denied}\n/ipfs/${remote}\n`);
    while (!service.text().includes('denylist loaded')) await new Promise((resolve) => setTimeout(resolve, 50));
    const asked = await ask(denied);
    await (await ask(other)).done;
    expect(asked.isDone()).toBe(false);
    const refusal = { code: 'CONTENT_DENIED', message: `${remote} is blocked and cannot be provided` };
    await expect(api.exchange.fetch(parseCid(remote))).rejects.toMatchObject(refusal);
    const session = api.exchange.openSession({ providers: [kubo.provider] });
    await expect(session.fetch(parseCid(remote))).rejects.toMatchObject(refusal);
    session.close();
    expect(await home.store.has(parseCid(remote))).toBe(false);
    const provided = api.routing.provide([parseCid(denied)])[Symbol.asyncIterator]();
    await expect(provided.next()).rejects.toMatchObject({ code: 'CONTENT_DENIED' });
  });

  test('nothing: no block is served', async () => {
    await start('nothing');
    const cid = await put();
    await home.pin('alice', cid);
    const asked = await ask(cid);
    // Messages go both ways after the request, and none of them has its block.
    const [remote = ''] = await kubo.add(randomBytes(3000));
    await api.exchange.fetch(parseCid(remote), { providers: [kubo.provider], signal: AbortSignal.timeout(30_000) });
    expect(asked.isDone()).toBe(false);
    expect((await api.bitswap.ledger(kubo.peer)).sentBytes).toBe(0);
  });
});
