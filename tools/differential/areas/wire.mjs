import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { compare, shared } from './dags/compare.mjs';
import { exchange, unpinAll } from './dags/exchange.mjs';

/** Commands of both servers, with Kubo's options. */
async function commandsOf(kubo, storage) {
  const { paths } = await (await fetch(`${storage.url}/openapi.json`)).json();
  const listed = await fetch(`${kubo.url}/api/v0/commands?flags=true`, { method: 'POST' });
  // Kubo lists files/chroot, which only its command line supports.
  return flatten(await listed.json(), '').filter(({ name }) => `/${name}` in paths && name !== 'files/chroot');
}

function flatten({ Name, Subcommands, Options }, prefix) {
  const name = prefix === '' ? Name : `${prefix}/${Name}`;
  const below = prefix === '' && Name === 'ipfs' ? '' : name;
  const options = (Options ?? []).map(({ Names }) => Names[0]).filter((option) => option !== 'help');
  return [{ name, options }, ...(Subcommands ?? []).flatMap((command) => flatten(command, below))];
}

/** Commands that other areas compare in full; this area compares the shape of their answers. */
const compared = /^(add|cat|get|ls|files\/|dag\/put|block\/put|block\/rm|object\/|cid\/|multibase\/)/;

/** Commands with a file as body. */
const bodies = /^(add|block\/put|dag\/put|dag\/import|files\/write|multibase\/(en|de|trans)code)$/;

/** Commands that describe the server itself, and commands that depend on the whole repository. */
const skipped = new Set([
  ...['id', 'version', 'version/deps', 'commands', 'config', 'config/show', 'stats/bw', 'stats/repo'],
  ...['repo/ls', 'repo/stat', 'repo/gc', 'repo/verify', 'repo/version', 'refs/local', 'commands/completion/bash'],
]);

const args = [
  '',
  'nonsense',
  '/',
  '/ipfs/',
  '/ipfs/nonsense',
  '/foo/bar',
  'bafkqaaa',
  '/ipfs/bafkqaaa/x',
  'a'.repeat(300),
];
const values = [
  '',
  'x',
  'true',
  'false',
  '-1',
  '0',
  '1',
  '99999999999999999999',
  '1.5',
  'nope',
  '0x10',
  'TRUE',
  'None',
];

/** Compares every command with missing, empty and wrong arguments and options, and malformed requests. */
export default {
  name: 'wire',
  peer: 'kubo',
  known: {
    ...shared,
    'dag/stat: trailer on one side': 'Kubo divides by zero where all blocks are empty.',
    'dag/get: 400 for 500, other words': 'The service resolves only numbers of content and hash codecs.',
    'add: status 400, not 200': 'A wrong to-files is refused before the body is read.',
    'block/rm: status 400, not 200': 'All paths are read before the first block is removed.',
    'block/rm: status 500, not 200': 'All paths are read before the first block is removed.',
    'cid/format: status 500, not 200': 'The service resolves only numbers of content and hash codecs.',
    'block/put: status 400, not 200': 'The service resolves only numbers of content and hash codecs.',
    'files/chcid: status 500, not 200': 'Kubo refuses "/" and changes the root where the path is empty.',
    'files/cp: status 400, not 200': 'Kubo makes an entry with the name "." of a copy to "/".',
    'a timeout that is no duration': 'Kubo ends the request with status 200 and without an answer; here it is refused.',
  },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const { authorization } = await storage.openAccount();
    const all = await commandsOf(kubo, storage);
    const commands = all.filter(({ name }) => !skipped.has(name));
    return { kubo, storage, authorization, commands, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    if (!context.isClean) await unpinAll(context.kubo.url);
    context.isClean = true;
    const { name, options } = random.pick(context.commands);
    const query = new URLSearchParams();
    for (let count = random.pick([0, 1, 1, 2, 3]); count > 0; count--) query.append('arg', random.pick(args));
    const chosen = random.pick(options);
    if (chosen !== undefined && random.chance(0.6)) query.append(chosen, random.pick(values));
    // Kubo reports a repeated option before a missing body; one fault suffices for the comparison.
    if (chosen !== undefined && !bodies.test(name) && random.chance(0.1)) query.append(chosen, random.pick(values));
    if (random.chance(0.1)) query.append('unknown', 'x');
    const path = `${random.chance(0.05) ? `${name}/bafkqaaa` : name}?${query}`;
    const method = random.chance(0.05) ? random.pick(['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS']) : 'POST';
    const parts = bodies.test(name) && random.chance(0.5) ? [Buffer.from('bytes')] : undefined;
    const { difference } = await compare(context, { path, method, parts, isUnordered: true });
    yield classed(difference, name);
    // Both servers forget the blocks of a successful request.
    for (const [url, headers] of [
      [context.kubo.url, {}],
      [context.storage.url, { authorization: context.authorization }],
    ])
      await clean(url, headers);
  },
};

/** Combines faults of many commands into one class. */
function classed(difference, name) {
  if (difference === undefined) return undefined;
  const [command] = difference.request.path.split(/[/]bafkqaaa[?]|[?]/);
  if (difference.cairn.body.includes('for option \\"timeout\\"'))
    return { ...difference, class: 'a timeout that is no duration' };
  const isWord = /words|body$/.test(difference.class);
  if (isWord && compared.test(name)) return undefined;
  return { ...difference, class: difference.class.replace(/^[^:]*: /, `${command}: `) };
}

async function clean(url, headers) {
  await unpinAll(url, headers);
  const { body } = await exchange(url, { path: 'files/ls', headers });
  const { Entries } = JSON.parse(body.toString());
  for (const { Name } of Entries ?? [])
    await exchange(url, { path: `files/rm?${new URLSearchParams({ arg: `/${Name}`, force: 'true' })}`, headers });
}
