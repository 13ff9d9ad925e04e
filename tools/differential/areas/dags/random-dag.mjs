import { block, encodeCbor, encodeJson, encodePb, toVersion1, unixfs } from './blocks.mjs';

const names = ['a', 'b', 'c', '0', '1', 'Links', 'ü', 'x y', '-'];

/** Creates random blocks, each with links to earlier ones. Some blocks are missing in the CAR. */
export function randomDag(random, salt) {
  const blocks = [];
  const leaf = () => {
    const bytes = Buffer.from(`${salt} ${random.integer(0, 1e6)} ${'x'.repeat(random.pick([0, 1, 40]))}`);
    if (random.chance(0.15))
      return block(random.pick(['raw', 'raw', 'dag-cbor']), random.chance(0.5) ? encodeCbor('id') : encodeCbor([1]), {
        identity: true,
      });
    if (random.chance(0.6)) return block('raw', bytes);
    return block('dag-pb', encodePb([], unixfs(2, bytes)), { version: random.integer(0, 1) });
  };
  const link = () => {
    const { cid } = random.pick(blocks);
    return random.chance(0.1) ? toVersion1(cid) : cid;
  };
  for (let count = random.integer(1, 4); count > 0; count--) blocks.push(leaf());
  for (let count = random.integer(1, 6); count > 0; count--) {
    const kind = random.pick(['dag-cbor', 'dag-cbor', 'dag-json', 'directory', 'file', 'plain']);
    if (kind === 'dag-cbor') blocks.push(block('dag-cbor', encodeCbor(randomValue(random, link, salt))));
    else if (kind === 'dag-json')
      blocks.push(block('dag-json', Buffer.from(encodeJson(randomValue(random, link, salt)))));
    else blocks.push(randomNode(random, link, kind, salt));
  }
  return blocks;
}

function randomNode(random, link, kind, salt) {
  const version = random.integer(0, 1);
  const links = Array.from({ length: random.integer(0, 4) }, (_, index) => ({
    cid: link(),
    name: kind === 'file' ? '' : `${random.pick(names)}${random.chance(0.3) ? index : ''}`,
    size: random.integer(0, 300),
  }));
  links.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  if (kind === 'directory') return block('dag-pb', encodePb(links, unixfs(1)), { version });
  if (kind === 'file') return block('dag-pb', encodePb([], unixfs(2, Buffer.from(salt))), { version });
  return block('dag-pb', encodePb(links, random.pick([undefined, Buffer.from(salt)])), { version });
}

function randomValue(random, link, salt, depth = 0) {
  const kind = random.pick(depth === 0 ? ['list', 'map', 'map'] : ['list', 'map', 'link', 'link', 'scalar', 'scalar']);
  if (kind === 'link') return link();
  if (kind === 'scalar')
    return random.pick([
      null,
      true,
      false,
      0,
      1,
      -1,
      24,
      70000 % 60000,
      1.5,
      -0.25,
      'text',
      salt,
      Buffer.from('bytes'),
    ]);
  if (depth > 3) return [];
  const size = random.integer(0, 3);
  if (kind === 'list') return Array.from({ length: size }, () => randomValue(random, link, salt, depth + 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [random.pick(names), randomValue(random, link, salt, depth + 1)]),
  );
}

/** Returns a path below one of the blocks, valid or not. */
export function randomPath(random, blocks) {
  const { cid } = random.pick(blocks);
  const root = random.pick([
    cid.text,
    cid.text,
    cid.text,
    `/ipfs/${cid.text}`,
    `/ipld/${cid.text}`,
    toVersion1(cid).text,
  ]);
  const segments = Array.from({ length: random.pick([0, 0, 0, 1, 1, 2, 3]) }, () =>
    random.pick([...names, 'Hash', 'Data', '2', '01', '..', '.', '']),
  );
  return [root, ...segments].join('/');
}
