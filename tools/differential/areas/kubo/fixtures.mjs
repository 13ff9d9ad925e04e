import { canonical, exchange, valuesOf } from './exchange.mjs';

/**
 * Content that both servers store at start, by name: sources of `files/cp`, and objects that `ls`, `cat` and `get`
 * read.
 */
const trees = [
  { name: 'small v0', files: [['a', 20]] },
  { name: 'small raw', query: [['cid-version', 1]], files: [['a', 20]] },
  {
    name: 'small v1 in dag-pb',
    query: [
      ['cid-version', 1],
      ['raw-leaves', false],
    ],
    files: [['a', 20]],
  },
  { name: 'chunks v0', query: [['chunker', 'size-64']], files: [['a', 700]] },
  {
    name: 'chunks v1',
    query: [
      ['chunker', 'size-64'],
      ['cid-version', 1],
    ],
    files: [['a', 700]],
  },
  {
    name: 'trickle v1',
    query: [
      ['trickle', true],
      ['cid-version', 1],
    ],
    files: [['a', 30]],
  },
  {
    name: 'trickle chunks',
    query: [
      ['trickle', true],
      ['chunker', 'size-16'],
    ],
    files: [['a', 400]],
  },
  {
    name: 'deep',
    query: [
      ['chunker', 'size-4'],
      ['max-file-links', 3],
    ],
    files: [['a', 150]],
  },
  { name: 'sha2-512', query: [['hash', 'sha2-512']], files: [['a', 300]] },
  { name: 'empty', files: [['a', 0]] },
  { name: 'large', files: [['a', 700_000]] },
  {
    name: 'mode and time',
    query: [
      ['mode', '0640'],
      ['mtime', 1_600_000_000],
      ['mtime-nsecs', 5_000_000],
    ],
    files: [['a', 9]],
  },
  { name: 'symlink', links: [['a', 'some/target']] },
  {
    name: 'directory',
    query: [['wrap-with-directory', true]],
    files: [
      ['a', 5],
      ['b c', 70],
      ['d/e', 3],
    ],
    links: [['l', 'b c']],
  },
  {
    name: 'directory v1',
    query: [
      ['wrap-with-directory', true],
      ['cid-version', 1],
      ['chunker', 'size-32'],
    ],
    files: [
      ['a', 5],
      ['ü', 90],
      ['d/e/f', 3],
    ],
    links: [['d/l', '../a']],
  },
  {
    name: 'directory with modes',
    query: [
      ['wrap-with-directory', true],
      ['mode', '0751'],
      ['mtime', -5],
      ['mtime-nsecs', 250],
    ],
    files: [
      ['a', 5],
      ['d/e', 6],
    ],
    links: [['l', 'a']],
  },
  {
    name: 'sharded',
    query: [
      ['wrap-with-directory', true],
      ['max-directory-links', 3],
      ['cid-version', 1],
    ],
    files: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, at) => [name, at * 3]),
  },
];

/**
 * Adds the trees to both servers.
 * @returns a map of names to root CIDs, only those for which both servers return the same CID
 */
export async function addTrees(servers) {
  const roots = new Map();
  for (const { name, query = [], files = [], links = [] } of trees) {
    const parts = [
      ...files.map(([path, length]) => ({ filename: path, bytes: contentOf(length) })),
      ...links.map(([path, target]) => ({
        filename: path,
        contentType: 'application/symlink',
        bytes: Buffer.from(target),
      })),
    ];
    const found = [];
    for (const server of servers)
      found.push(valuesOf((await exchange(server, { command: 'add', query, parts })).body).at(-1)?.Hash);
    if (found[0] !== undefined && canonical(found[0]) === canonical(found[1])) roots.set(name, found[0]);
    else console.log(`files: the tree "${name}" has other CIDs (${found.join(', ')}); left out`);
  }
  return roots;
}

/** Returns reproducible bytes. */
export function contentOf(length, seed = 7) {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
