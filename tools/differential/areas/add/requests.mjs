const text = 'abcdefghijklmnopqrstuvwxyz';
const names = [
  'a',
  'b',
  'c.txt',
  '.hidden',
  'my+dir',
  'a%20b',
  '%C4%85',
  'd',
  'e',
  'Z',
  'long-name-of-a-file',
  'x%2Fy',
];
const chunkers = [
  ...[
    'size-1',
    'size-3',
    'size-100',
    'size-262144',
    'size-1048576',
    'size-0',
    'size-x',
    'size-+7',
    'size',
    'default',
    '',
  ],
  ...[
    'rabin',
    'rabin-512',
    'rabin-40',
    'rabin-16-32-64',
    'rabin-min:16-avg:64-max:128',
    'rabin-16-8-32',
    'rabin-avg:1-2-3',
  ],
  ...['buzhash', 'buzhash-1', 'nope'],
];
const hashes = [
  ...['sha2-256', 'sha2-512', 'sha3', 'SHA3-256', 'blake2b-256', 'blake2b-160', 'blake2s-256', 'blake3', 'keccak-256'],
  ...['identity', 'sha1', 'dbl-sha2-256', 'shake-256', 'md5', 'nope', ''],
];
const booleans = ['true', 'false', '1', '0', ''];

/** Number of times an option is given, and its values. */
const options = [
  ['cid-version', 0.4, ['0', '1', '1', '-1', '2', '0x1', 'x']],
  ['raw-leaves', 0.3, booleans],
  ['chunker', 0.4, chunkers],
  ['trickle', 0.3, ['true', 'false']],
  ['hash', 0.2, hashes],
  ['inline', 0.2, booleans],
  ['inline-limit', 0.15, ['0', '4', '16', '64', '128', '129', '-1', '500']],
  // Kubo never finishes a balanced tree with 1 link per node.
  ['max-file-links', 0.2, ['0', '-1', '2', '3', '5', '174', '10000', 'x']],
  ['max-directory-links', 0.2, ['0', '-1', '1', '2', '3', '100']],
  ['max-hamt-fanout', 0.15, ['8', '16', '256', '1024', '7', '0', '2048']],
  ['mode', 0.15, ['0', '0644', '644', '0755', '01777', '04755', '0600', '4294967295', '-1', '9']],
  ['mtime', 0.15, ['0', '1', '-5', '1700000000', '2147483648', '4294967296', 'x']],
  ['mtime-nsecs', 0.1, ['0', '5', '999999999', '1000000000']],
  ['preserve-mode', 0.2, booleans],
  ['preserve-mtime', 0.2, booleans],
  ['wrap-with-directory', 0.3, booleans],
  ['w', 0.03, booleans],
  ['only-hash', 0.1, booleans],
  ['pin', 0.1, booleans],
  ['pin-name', 0.07, ['', 'name', 'x'.repeat(256)]],
  ['nocopy', 0.03, booleans],
  ['fscache', 0.03, booleans],
  ['empty-dirs', 0.1, booleans],
  ['silent', 0.05, booleans],
  ['quieter', 0.05, booleans],
  ['progress', 0.1, booleans],
  ['cid-base', 0.08, ['base58btc', 'base32', 'base36', 'base16', 'nope', '']],
  ['upgrade-cidv0-in-output', 0.05, booleans],
  ['encoding', 0.03, ['json', 'nope']],
  ['unknown', 0.03, ['x']],
];

/** Creates a random `add`: its query as pairs and the parts of its body. */
export function randomAdd(random) {
  const query = options
    .filter(([, probability]) => random.chance(probability))
    .map(([name, , values]) => [name, random.pick(values)]);
  // Kubo takes either of two names of one option, at random.
  if (query.some(([name]) => name === 'wrap-with-directory')) removeNamed(query, 'w');
  if (random.chance(0.02) && query[0]) query.push(query[0]);
  return { query, parts: randomParts(random) };
}

function removeNamed(query, removed) {
  const at = query.findIndex(([name]) => name === removed);
  if (at !== -1) query.splice(at, 1);
}

function randomParts(random) {
  const parts = [];
  const count = random.pick([0, 1, 1, 1, 2, 3, 4, 6, 9]);
  const directory = random.pick(['', 'd/', 'd/e/', 'top/']);
  for (let index = 0; index < count; index++) {
    const depth = random.pick([0, 0, 1, 2]);
    const inner = Array.from({ length: depth }, () => random.pick(['d', 'e', 'sub'])).join('/');
    const path = `${random.chance(0.7) ? directory : ''}${inner === '' ? '' : `${inner}/`}${nameOf(random, index)}`;
    parts.push(partOf(random, path));
  }
  // Many small entries result in sharded directories.
  if (random.chance(0.08)) {
    const many = random.integer(10, 60);
    for (let index = 0; index < many; index++) parts.push({ filename: `many/${word(random)}-${index}`, content: '' });
  }
  return parts;
}

function nameOf(random, index) {
  if (random.chance(0.05)) return random.pick(['', '.', '..', '/', 'a//b', '../up', '%zz']);
  return random.chance(0.5) ? `${word(random)}${index}` : random.pick(names);
}

function partOf(random, filename) {
  const type = random.pick(['file', 'file', 'file', 'file', 'directory', 'symlink']);
  const field = random.chance(0.4) ? `file?${metadataOf(random)}` : 'file';
  if (type === 'directory') return { field, filename, type: 'application/x-directory', content: '' };
  if (type === 'symlink') return { field, filename, type: 'application/symlink', content: `../${word(random)}` };
  return { field, filename, content: contentOf(random) };
}

function metadataOf(random) {
  const mode = ['0644', '0755', '020000000755', '01000000777', '04755', '0', '9', '37777777777', 'x'];
  const mtime = ['0', '1', '-5', '1700000000', 'x', '4294967296'];
  const nanoseconds = ['0', '5', '-7', '1000000000', '7000000001', 'x'];
  const given = [
    ...(random.chance(0.7) ? [`mode=${random.pick(mode)}`] : []),
    ...(random.chance(0.6) ? [`mtime=${random.pick(mtime)}`] : []),
    ...(random.chance(0.3) ? [`mtime-nsecs=${random.pick(nanoseconds)}`] : []),
  ];
  return given.join('&');
}

/** Returns text that repeats a random word, so that chunks of a file are equal, or random bytes. */
function contentOf(random) {
  const length = random.pick([0, 1, 5, 30, 128, 129, 300, 1000, 3000, random.chance(0.1) ? 600_000 : 50]);
  if (random.chance(0.1)) return `\r\n--boundary-of-parts${random.pick(['x', '-', '-x', 'é'])}\r\n`;
  if (length > 5000 || random.chance(0.5)) return word(random).repeat(length).slice(0, length);
  return Buffer.from(random.bytes(length)).toString('latin1');
}

function word(random) {
  return Array.from({ length: random.integer(1, 6) }, () => random.pick(text)).join('');
}
