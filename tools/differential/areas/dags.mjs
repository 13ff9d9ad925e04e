import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { block, carOf, carOfVersion2, encodePb, unixfs } from './dags/blocks.mjs';
import { compare } from './dags/compare.mjs';
import { exchange, unpinAll } from './dags/exchange.mjs';
import { known } from './dags/known.mjs';
import { randomDag, randomPath } from './dags/random-dag.mjs';

/** Compares pins, dag/*, refs, resolve, block/* and CARs on random DAGs: complete, with missing blocks, and damaged. */
export default {
  name: 'dags',
  peer: 'kubo',
  known,
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    // Kubo starts with the empty directory.
    const empty = carOf([], [block('dag-pb', encodePb([], unixfs(1)), { version: 0 })]);
    const { authorization } = await storage.openAccount();
    await exchange(storage.url, { path: 'dag/import', parts: [empty], headers: { authorization } });
    return { kubo, storage, count: 0, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    const { authorization } = await context.storage.openAccount();
    const servers = { ...context, authorization };
    // Blocks differ in each round, so that neither server has them yet.
    const blocks = randomDag(random, `${process.pid}-${context.count++}`);
    const requests = [importOf(random, blocks), ...Array.from({ length: 30 }, () => requestOf(random, blocks))];
    await unpinAll(context.kubo.url);
    for (const [index, request] of requests.entries()) {
      const { difference } = await compare(servers, request);
      yield difference;
      // A value that only one server accepted would change all later answers.
      if (index === 0 && difference !== undefined) return;
    }
  },
};

function importOf(random, blocks) {
  const given = random.chance(0.5) ? blocks : random.some(blocks, 0.8);
  const roots = random.chance(0.7) ? [blocks.at(-1).cid] : random.some(blocks, 0.4).map(({ cid }) => cid);
  const car = carOf(roots, given);
  const query = new URLSearchParams();
  for (const name of random.some(['pin-roots', 'stats', 'silent'], 0.3))
    query.set(name, random.pick(['true', 'false']));
  const parts = [random.chance(0.3) ? carOfVersion2(car, { padding: random.pick([0, 0, 7]) }) : car];
  if (random.chance(0.15)) parts.push(carOf([], random.some(blocks)));
  if (random.chance(0.15)) parts[0] = damaged(random, parts[0]);
  return { path: `dag/import?${query}`, parts, isUnordered: true };
}

function damaged(random, car) {
  if (random.chance(0.5)) return car.subarray(0, random.integer(0, car.length - 1));
  const copy = Buffer.from(car);
  copy[random.integer(0, copy.length - 1)] ^= 1 << random.integer(0, 7);
  return copy;
}

const bases = ['base32', 'base58btc', 'base36', 'z', 'b', 'f', 'base64url', 'nope'];

/** Commands with their options, and whether they accept several paths. */
const commands = {
  'dag/get': { options: { 'output-codec': ['dag-json', 'dag-cbor', 'dag-pb', 'raw', 'nope'] } },
  'dag/resolve': { options: {} },
  resolve: { options: { 'cid-base': bases, recursive: ['true', 'false'] } },
  refs: {
    isMany: true,
    options: {
      recursive: ['true', 'true', 'false'],
      unique: ['true', 'false'],
      edges: ['true', 'false'],
      'max-depth': ['-1', '0', '1', '2', '3'],
      format: ['<linkname>', '<src> <dst> <linkname>'],
      'cid-base': bases,
    },
  },
  'block/get': { options: {} },
  'block/stat': { options: { 'cid-base': bases } },
  'dag/stat': { isMany: true, options: { progress: ['true', 'false'], 'cid-base': bases } },
  'dag/export': { options: { 'local-only': ['true', 'false'], progress: ['true'] } },
  'pin/add': {
    isMany: true,
    options: { recursive: ['true', 'false'], name: ['n', 'other', ''], progress: ['true', 'false'], 'cid-base': bases },
  },
  'pin/rm': { isMany: true, options: { recursive: ['true', 'false'], 'cid-base': bases } },
  'pin/update': { paths: 2, options: { unpin: ['true', 'false'] } },
  'pin/verify': { paths: 0, isUnordered: true, options: { verbose: ['true', 'false'], quiet: ['true', 'false'] } },
  'pin/ls': {
    isUnordered: true,
    paths: [0, 0, 1],
    options: {
      type: ['direct', 'indirect', 'recursive', 'all', 'nope'],
      names: ['true', 'false'],
      name: ['n', 'o', 'zz', ''],
      stream: ['true', 'false'],
      quiet: ['true'],
      'cid-base': bases.filter((base) => base !== 'nope'),
    },
  },
};

function requestOf(random, blocks) {
  const name = random.pick([...Object.keys(commands), 'pin/add', 'pin/ls', 'dag/get', 'refs']);
  const { isMany = false, isUnordered = false, paths = 1, options } = commands[name];
  const query = new URLSearchParams();
  const count = isMany && random.chance(0.25) ? 2 : Array.isArray(paths) ? random.pick(paths) : paths;
  for (let index = 0; index < count; index++) query.append('arg', randomPath(random, blocks));
  for (const [option, values] of random.some(Object.entries(options), 0.3)) query.set(option, random.pick(values));
  if (random.chance(0.05)) query.set('offline', 'true');
  return { path: `${name}?${query}`, isUnordered };
}
