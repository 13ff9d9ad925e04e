import { gunzipSync } from 'node:zlib';
import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { canonical, differenceOf, exchange, messageOf, shown, valuesOf } from './kubo/exchange.mjs';
import { addTrees } from './kubo/fixtures.mjs';
import { randomTree } from './kubo/random-tree.mjs';
import { entriesOf } from './kubo/tar-entries.mjs';

const requestsPerTree = 20;

/** Compares `ls`, `cat` and `get` of random trees, of the fixtures, and of paths that do not exist. */
export default {
  name: 'read',
  peer: 'kubo',
  known: {
    'status of a bad argument':
      'The service answers an invalid argument with 400 and Code 1, Kubo with 500 and Code 0.',
    'path through a file': 'Kubo returns the error text of its IPLD library; the service reports a missing name.',
  },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage();
    const { authorization } = await storage.openAccount();
    const servers = [{ url: storage.url, authorization }, kubo];
    const fixtures = [...(await addTrees(servers)).values()];
    return { servers, fixtures, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round({ servers, fixtures }, random) {
    const added = randomTree(random);
    const answers = await Promise.all(servers.map((server) => exchange(server, added.request)));
    const [root, other] = answers.map(({ body }) => valuesOf(body).at(-1)?.Hash);
    // The area `add` compares the trees that `add` creates.
    const isKnown = root !== undefined && root === other;
    const paths = [
      ...(isKnown ? added.paths.map((path) => [root, path].filter(Boolean).join('/')) : []),
      random.pick(fixtures),
      random.pick(fixtures),
    ];
    for (let count = 0; count < requestsPerTree; count++) {
      const request = randomRead(random, paths);
      const [cairn, peer] = await Promise.all(servers.map((server) => exchange(server, request)));
      const kind = differenceOf(cairn, peer, { isSame: sameness(request) });
      if (kind === undefined) yield undefined;
      else yield { class: kindOf(request, kind, cairn, peer), request, cairn: shown(cairn), peer: shown(peer) };
    }
  },
};

const flag = (random, name, probability) => (random.chance(probability) ? [[name, random.chance(0.5)]] : []);

const commands = {
  ls: (random) => [
    ...flag(random, 'resolve-type', 0.3),
    ...flag(random, 'size', 0.3),
    ...flag(random, 'stream', 0.2),
    ...(random.chance(0.1) ? [['cid-base', random.pick(['base32', 'base36', 'base58btc'])]] : []),
  ],
  cat: (random) => [
    ...(random.chance(0.5) ? [['offset', random.pick([0, 1, 5, 63, 64, 65, 500, 100_000, -1])]] : []),
    ...(random.chance(0.5) ? [['length', random.pick([0, 1, 10, 64, 1000, 100_000, -1])]] : []),
  ],
  get: (random) => [
    ...flag(random, 'archive', 0.3),
    ...flag(random, 'compress', 0.3),
    ...(random.chance(0.1) ? [['compression-level', random.pick([0, 1, 9, 10, -1])]] : []),
  ],
};

function randomRead(random, paths) {
  const command = random.pick(Object.keys(commands));
  const count = command !== 'get' && random.chance(0.25) ? 2 : 1;
  const args = Array.from({ length: count }, () => {
    const path = random.pick(paths);
    const prefix = random.pick(['', '/ipfs/', '/ipfs/', '/ipfs//']);
    return `${prefix}${path}${random.pick(['', '', '', '', '/', '/none', '/../x', '/.'])}`;
  });
  if (random.chance(0.02)) args[0] = random.pick(['', '/', 'none', '/ipfs/', '/ipfs/none', '/foo/bar', 'Qm']);
  return { command, query: [...args.map((arg) => ['arg', arg]), ...commands[command](random)] };
}

function sameness({ command, query }) {
  if (command !== 'get') return command === 'ls' ? sameListing : undefined;
  const isCompressed = query.some(([name, value]) => name === 'compress' && value === true);
  const isArchive = query.some(([name, value]) => name === 'archive' && value === true);
  return (a, b) => {
    const [cairn, peer] = isCompressed ? [gunzipSync(a), gunzipSync(b)] : [a, b];
    return (
      cairn.equals(peer) || ((isArchive || !isCompressed) && canonical(entriesOf(cairn)) === canonical(entriesOf(peer)))
    );
  };
}

/** Kubo streams a sharded directory in the order in which its shards arrive. */
function sameListing(a, b) {
  return canonical(valuesOf(a)) === canonical(valuesOf(b)) || canonical(linesOf(a)) === canonical(linesOf(b));
}

const linesOf = (body) => String(body).split('\n').sort();

function kindOf({ command }, kind, cairn, peer) {
  if (kind === 'status of a bad argument') return kind;
  const words = [cairn, peer].map((answer) => (answer.status === 200 ? '' : String(messageOf(answer))));
  if (words[1].startsWith('func called on wrong kind')) return 'path through a file';
  const short = words.map((text) => text.replaceAll(/\b(Qm|baf)\w+/g, '<cid>').replaceAll(/"[^"]*"/g, '<name>'));
  return `${command}: ${kind}: ${short.join(' | ')}`;
}
