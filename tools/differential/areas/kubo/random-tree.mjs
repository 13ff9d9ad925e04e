import { contentOf } from './fixtures.mjs';

const names = ['a', 'b', 'file with space', 'ü', 'x'.repeat(120), '.hidden', 'd', 'e'];

/**
 * Returns a request that adds a random tree, and paths in it.
 * @returns `request` for `add`, and `paths` below its root; an empty path is the root
 */
export function randomTree(random) {
  const entries = new Map();
  for (let count = random.integer(1, 7); count > 0; count--) {
    const path = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => random.pick(names)).join('/');
    const isTaken = [...entries.keys()].some(
      (other) => `${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`),
    );
    if (!isTaken) entries.set(path, partOf(random, path));
  }
  const hasMetadata = random.chance(0.3);
  const query = [
    ['wrap-with-directory', true],
    ['cid-version', random.pick([0, 1])],
    ...(random.chance(0.4) ? [['chunker', random.pick(['size-16', 'size-64', 'size-300'])]] : []),
    ...(random.chance(0.2) ? [['trickle', true]] : []),
    ...(random.chance(0.2) && !hasMetadata ? [['raw-leaves', random.chance(0.5)]] : []),
    ...(random.chance(0.1) ? [['max-directory-links', 2]] : []),
  ];
  return {
    request: { command: 'add', query, parts: [...entries.values()] },
    paths: ['', ...entries.keys(), ...above(entries)],
  };
}

const above = (entries) =>
  new Set([...entries.keys()].filter((path) => path.includes('/')).map((path) => path.replace(/\/[^/]*$/, '')));

function partOf(random, path) {
  const metadata = [
    ...(random.chance(0.2) ? [`mode=${random.pick(['0644', '0751', '04755', '01777'])}`] : []),
    ...(random.chance(0.2)
      ? [
          `mtime=${random.pick([1_700_000_000, -5])}`,
          ...(random.chance(0.5) ? [`mtime-nsecs=${random.pick([5, 120_000_000])}`] : []),
        ]
      : []),
  ];
  const name = metadata.length > 0 ? `file?${metadata.join('&')}` : 'file';
  if (random.chance(0.15))
    return {
      name,
      filename: path,
      contentType: 'application/symlink',
      bytes: Buffer.from(random.pick(['a', '../x', '/etc/passwd', 'ü'])),
    };
  return {
    name,
    filename: path,
    bytes: contentOf(random.pick([0, 1, 15, 16, 17, 64, 700, 5000]), random.integer(1, 3)),
  };
}
