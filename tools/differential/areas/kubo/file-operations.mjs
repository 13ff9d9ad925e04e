import { contentOf } from './fixtures.mjs';

const names = ['a', 'b', 'c d', 'd', 'ü'];
/** Time of entries with a given time, so that two servers store the same. */
const times = [1_700_000_000, 1, -3];

/** Returns a path of the tree that usually exists and is sometimes malformed. */
function randomPath(random) {
  const depth = random.pick([1, 1, 1, 2, 2, 3]);
  const path = `/${Array.from({ length: depth }, () => random.pick(names)).join('/')}`;
  if (random.chance(0.06)) return `${path}/`;
  if (random.chance(0.02))
    return random.pick(['', '/', 'a', '/ipfs', '//a', '/a/./b', '/a/../b', '/ipfs/nonsense', '/..']);
  return path;
}

const flag = (random, name, probability) => (random.chance(probability) ? [[name, random.chance(0.85)]] : []);
const naming = (random) => [
  ...(random.chance(0.25) ? [['cid-version', random.pick([0, 1, 1])]] : []),
  ...(random.chance(0.08) ? [['hash', random.pick(['sha2-256', 'sha2-512', 'blake2b-256', 'SHA2-256'])]] : []),
];
const flush = (random) => flag(random, 'flush', 0.15).map(([name]) => [name, random.chance(0.4)]);

const operations = {
  mkdir: (random) => ({
    query: [...flag(random, 'parents', 0.5), ...naming(random), ...flush(random), ...flag(random, 'mtime', 0.02)],
    paths: [randomPath(random)],
  }),
  write: (random) => ({
    query: [
      ...flag(random, 'create', 0.8),
      ...flag(random, 'parents', 0.4),
      ...flag(random, 'truncate', 0.3),
      ...flag(random, 'raw-leaves', 0.2).map(([name]) => [name, random.chance(0.5)]),
      ...(random.chance(0.35) ? [['offset', random.pick([0, 1, 5, 30, 64, 100, 5000, 700_001])]] : []),
      ...(random.chance(0.15) ? [['count', random.pick([0, 1, 7, 1000])]] : []),
      ...naming(random),
      ...flush(random),
    ],
    paths: [randomPath(random)],
    parts: [
      {
        name: 'data',
        filename: 'data',
        bytes: contentOf(random.pick([0, 1, 5, 12, 40, 300, 300_000]), random.integer(1, 3)),
      },
    ],
  }),
  cp: (random, { roots }) => ({
    query: [...flag(random, 'parents', 0.3), ...flag(random, 'force', 0.25), ...flush(random), ...naming(random)],
    paths: [
      random.chance(0.6)
        ? `/ipfs/${random.pick(roots)}${random.pick(['', '', '', '/a', '/d/e', '/none', '/'])}`
        : randomPath(random),
      randomPath(random),
    ],
  }),
  mv: (random) => ({ query: flush(random), paths: [randomPath(random), randomPath(random)] }),
  rm: (random) => ({
    query: [
      ...flag(random, 'recursive', 0.5),
      ...flag(random, 'force', 0.2),
      ...(random.chance(0.05) ? flush(random) : []),
    ],
    paths: random.chance(0.8) ? [randomPath(random)] : [randomPath(random), randomPath(random)],
  }),
  chcid: (random) => ({
    query: [...naming(random), ...naming(random).slice(0, 0), ...flush(random)],
    paths: [randomPath(random)],
  }),
  chmod: (random) => ({
    query: flush(random),
    first: [random.pick(['0644', '755', '0', '4755', '40000755', '1000', 'u+x', '999', '+17', '77777777777'])],
    paths: [randomPath(random)],
  }),
  touch: (random) => ({
    query: [
      ['mtime', random.pick(times)],
      ...(random.chance(0.4) ? [['mtime-nsecs', random.pick([0, 1, 500, 999_999_999, 1_000_000_001])]] : []),
    ],
    paths: [randomPath(random)],
  }),
};

const questions = {
  stat: (random, { roots }) => ({
    query: [
      ...flag(random, 'with-local', 0.2),
      ...flag(random, 'hash', 0.1),
      ...flag(random, 'size', 0.1),
      ...(random.chance(0.1) ? [['format', '<hash>']] : []),
      ...(random.chance(0.1) ? [['cid-base', random.pick(['base32', 'base36', 'base58btc'])]] : []),
    ],
    paths: [random.chance(0.3) ? `/ipfs/${random.pick(roots)}${random.pick(['', '/a', '/l'])}` : randomPath(random)],
  }),
  ls: (random) => ({
    query: [
      ...flag(random, 'long', 0.6),
      ...flag(random, 'U', 0.1),
      ...(random.chance(0.1) ? [['cid-base', 'base36']] : []),
    ],
    paths: random.chance(0.1) ? [] : [random.chance(0.2) ? '/' : randomPath(random)],
  }),
  read: (random) => ({
    query: [
      ...(random.chance(0.4) ? [['offset', random.pick([0, 1, 5, 40, 100_000])]] : []),
      ...(random.chance(0.3) ? [['count', random.pick([0, 1, 10, 1000])]] : []),
    ],
    paths: [randomPath(random)],
  }),
  flush: (random) => ({ query: [], paths: random.chance(0.2) ? [] : [randomPath(random)] }),
};

const asRequest = (command, { query, first = [], paths, parts }) => ({
  command: `files/${command}`,
  query: [...[...first, ...paths].map((path) => ['arg', path]), ...query],
  ...(parts && { parts }),
});

/** Returns a command that may change the tree. */
export function randomOperation(random, context) {
  const kind = random.pick([
    'mkdir',
    'mkdir',
    'write',
    'write',
    'write',
    'cp',
    'cp',
    'cp',
    'mv',
    'rm',
    'chcid',
    'chmod',
    'touch',
  ]);
  return asRequest(kind, operations[kind](random, context));
}

/** Returns a command that reads the tree. */
export function randomQuestion(random, context) {
  const kind = random.pick(Object.keys(questions));
  return asRequest(kind, questions[kind](random, context));
}
