import { startStorage } from '../../../peers/cairn.mjs';
import { startKubo } from '../../../peers/kubo.mjs';
import { differenceOf, exchange, shown, valuesOf } from './exchange.mjs';
import { randomOperation, randomQuestion } from './file-operations.mjs';
import { kindOf, known } from './files-known.mjs';
import { addTrees } from './fixtures.mjs';

const stepsMax = 30;

/**
 * An area of sequences of `files/*` on one tree: after each change both trees must have the same root.
 * @param {{ name: string, config?: (config: Record<string, unknown>) => void, settings?: Record<string, string> }}
 * options `config` changes Kubo's configuration; `settings` are those of the storage service
 */
export function fileSequences({ name, config = () => {}, settings = {} }) {
  const start = async () => {
    const kubo = await startKubo({ config });
    if (kubo === undefined) return undefined;
    const storage = await startStorage(settings);
    const { authorization } = await storage.openAccount();
    const servers = [{ url: storage.url, authorization }, kubo];
    // Kubo makes small sharded directories plain when an entry is looked up.
    const roots = [...(await addTrees(servers))].filter(([tree]) => tree !== 'sharded').map(([, root]) => root);
    return { servers, roots, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  };
  return {
    name,
    peer: 'kubo',
    known,
    async start() {
      const first = await start();
      if (first === undefined) return undefined;
      const context = {
        ...first,
        restart: async () => {
          await context.stop();
          Object.assign(context, await start());
        },
      };
      return { current: context, stop: () => context.stop() };
    },
    round,
  };
}

async function* round({ current }, random) {
  await prepare(current);
  const { servers, roots } = current;
  const history = [];
  for (let step = 0; step < stepsMax; step++) {
    const request = random.chance(0.7) ? randomOperation(random, { roots }) : randomQuestion(random, { roots });
    const before = await listTree(servers[1]);
    if (await isTimed(servers[1], request)) continue;
    const [cairn, peer] = await answers(servers, request);
    history.push(textOf(request));
    const kind = differenceOf(cairn, peer);
    const trees = await Promise.all(servers.map(listTree));
    const path = firstDifference(...trees);
    if (kind === undefined && path === undefined) {
      yield undefined;
      continue;
    }
    const local = path && (await Promise.all(servers.map((server) => statOf(server, path, [['with-local', true]]))));
    const forms = path && (await Promise.all(servers.map((server, index) => formOf(server, trees[index].get(path)))));
    const details = { request, kind, path, cairn, peer, before, trees, local, forms };
    const found = {
      request: history.at(-1),
      cairn: shown(cairn),
      peer: shown(peer),
      path,
      trees: path && trees.map((tree) => tree.get(path)),
      history,
    };
    yield { class: kindOf(details), ...found };
    // Trees that differ stay different, so the round ends.
    if (path !== undefined) return;
  }
}

/** Empties both trees. */
async function prepare({ servers, restart }) {
  for (const server of servers) await clear(server);
  const [cairn, peer] = await Promise.all(servers.map((server) => statOf(server, '/')));
  // Kubo's root keeps traces of earlier rounds, such as an empty data field.
  if (cairn.Hash !== peer.Hash) await restart();
}

const answers = (servers, request) => Promise.all(servers.map((server) => exchange(server, request)));
const textOf = ({ command, query, parts }) =>
  `${command}?${query.map(([name, value]) => `${name}=${value}`).join('&')}${parts ? ` (${parts[0].bytes.length} bytes)` : ''}`;

async function clear(server) {
  const entries = valuesOf((await exchange(server, { command: 'files/ls' })).body)[0]?.Entries ?? [];
  for (const { Name } of entries)
    await exchange(server, {
      command: 'files/rm',
      query: [
        ['arg', `/${Name}`],
        ['force', true],
        ['recursive', true],
      ],
    });
}

/** Lists every path of a tree with its result of `files/stat`. */
async function listTree(server) {
  const tree = new Map();
  const open = ['/'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const stat = await statOf(server, path);
    tree.set(path, stat);
    if (stat.Type !== 'directory') continue;
    const { body } = await exchange(server, { command: 'files/ls', query: [['arg', path]] });
    for (const { Name } of valuesOf(body)[0]?.Entries ?? []) open.push(`${path === '/' ? '' : path}/${Name}`);
  }
  return tree;
}

async function statOf(server, path, query = []) {
  return valuesOf((await exchange(server, { command: 'files/stat', query: [['arg', path], ...query] })).body)[0];
}

/** Returns whether a directory is `plain` or `sharded`, or undefined for anything else. */
async function formOf(server, stat) {
  if (stat?.Type !== 'directory') return undefined;
  const { body } = await exchange(server, { command: 'dag/get', query: [['arg', stat.Hash]] });
  const data = Buffer.from(valuesOf(body)[0].Data['/'].bytes, 'base64');
  // Field 1 of the UnixFS data is the type: 1 is a directory, 5 a sharded one.
  return data[1] === 5 ? 'sharded' : 'plain';
}

/** Returns the deepest path whose stat differs, or undefined for equal trees. */
function firstDifference(cairn, peer) {
  const paths = [...new Set([...cairn.keys(), ...peer.keys()])];
  const differing = paths.filter(
    (path) => JSON.stringify(sorted(cairn.get(path))) !== JSON.stringify(sorted(peer.get(path))),
  );
  return differing.sort((a, b) => depthOf(b) - depthOf(a))[0];
}

const depthOf = (path) => (path === '/' ? 0 : path.split('/').length);
const sorted = (stat) => stat && Object.entries(stat).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Reports whether a write changes a file that has a time. It would get the time of the write, which differs between
 * servers.
 */
async function isTimed(server, { command, query }) {
  if (command !== 'files/write') return false;
  const [, path] = query.find(([name]) => name === 'arg');
  return (
    valuesOf((await exchange(server, { command: 'files/stat', query: [['arg', path]] })).body)[0]?.Mtime !== undefined
  );
}
