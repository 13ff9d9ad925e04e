import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { compare, shared } from './dags/compare.mjs';
import { exchange, unpinAll } from './dags/exchange.mjs';

const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';

/**
 * Compares sequences of writes with and without pins, block/rm, repo/gc, repo/verify and refs/local: the blocks that
 * one account holds.
 */
export default {
  name: 'holdings',
  peer: 'kubo',
  known: { ...shared },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    return { kubo, storage, count: 0, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    const { authorization } = await context.storage.openAccount();
    const servers = { ...context, authorization };
    await unpinAll(context.kubo.url);
    await exchange(context.kubo.url, { path: 'repo/gc' });
    // Kubo's tree stores the empty directory at start, the tree of an account with its first change.
    for (const path of ['files/mkdir?arg=/x', 'files/rm?arg=/x&recursive=true', 'repo/gc'])
      await exchange(context.storage.url, { path, headers: { authorization } });
    // Contents differ in each round, because the store keeps those of earlier accounts.
    const salt = `${process.pid}-${context.count++}`;
    const cids = [absent];
    for (let step = 0; step < 25; step++) {
      const request = requestOf(random, cids, salt);
      const { difference, peer } = await compare(servers, request);
      yield difference;
      // Leaves out the raw CIDs of repo/gc and refs/local: Kubo removes and unpins by CID, not by block.
      for (const [, cid] of peer.body.toString().matchAll(/"(?:Hash|Key|Cid":{"\/)":"(\w+)"/g))
        if (!cids.includes(cid)) cids.push(cid);
    }
  },
};

function requestOf(random, cids, salt) {
  const content = () => Buffer.from(`${salt} ${random.integer(0, 5)} `.padEnd(random.integer(30, 60), 'x').repeat(20));
  const some = (most) => Array.from({ length: random.integer(1, most) }, () => `arg=${random.pick(cids)}`).join('&');
  const flag = (name) => (random.chance(0.3) ? `&${name}=${random.pick(['true', 'false'])}` : '');
  const makers = [
    // Leaves out add: Kubo leaves directories behind that nothing refers to.
    () => ({ path: `block/put?pin=${random.chance(0.2)}`, parts: [content()] }),
    () => ({
      // Leaves out pin=true: Kubo pins a node without checking its links, and cannot collect from then on.
      path: 'dag/put',
      parts: [Buffer.from(JSON.stringify({ salt, links: linksOf(random, cids) }))],
    }),
    () => ({
      path: 'dag/put?store-codec=dag-json',
      parts: [Buffer.from(JSON.stringify({ salt, links: linksOf(random, cids) }))],
    }),
    () => ({ path: `pin/add?arg=${random.pick(cids)}${flag('recursive')}` }),
    () => ({ path: `pin/rm?arg=${random.pick(cids)}` }),
    () => ({ path: `block/rm?${some(3)}${flag('force')}${flag('quiet')}` }),
    () => ({ path: `block/rm?${some(1)}${flag('force')}${flag('quiet')}` }),
    () => ({ path: `repo/gc?${flag('silent')}${flag('stream-errors')}${flag('quiet')}`, isUnordered: true }),
    () => ({ path: 'refs/local', isUnordered: true }),
    () => ({ path: 'repo/verify', isUnordered: true }),
    () => ({ path: `block/stat?arg=${random.pick(cids)}` }),
    () => ({ path: 'pin/ls', isUnordered: true }),
  ];
  return random.pick(makers)();
}

function linksOf(random, cids) {
  return Array.from({ length: random.integer(0, 3) }, () => ({ '/': random.pick(cids.slice(-8)) }));
}
