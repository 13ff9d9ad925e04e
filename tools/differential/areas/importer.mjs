import { importer } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { balanced, trickle } from 'ipfs-unixfs-importer/layout';
import { startStorage } from '../../peers/cairn.mjs';

const sizes = [0, 1, 255, 256, 257, 1000, 4096, 100_000, 300_000];

/**
 * Compares CIDs of random files with the importer of js-ipfs. Needs no Kubo. The rabin chunker of js-ipfs differs from
 * Kubo's.
 */
export default {
  name: 'importer',
  known: {},
  async start() {
    const storage = await startStorage();
    const { authorization } = await storage.openAccount();
    return { storage, authorization, stop: () => storage.stop() };
  },
  async *round({ storage, authorization }, random) {
    const bytes = random.bytes(random.pick(sizes));
    const options = {
      isTrickle: random.chance(0.5),
      rawLeaves: random.chance(0.5),
      cidVersion: random.integer(0, 1),
      links: random.integer(2, 200),
      chunker: random.pick(['size-256', 'size-1000', 'size-65536', 'size-262144']),
    };
    const [cairn, peer] = await Promise.all([added(storage, authorization, bytes, options), imported(bytes, options)]);
    const request = { length: bytes.length, ...options };
    const layout = options.isTrickle ? 'trickle' : 'balanced';
    yield cairn === peer ? undefined : { class: `cid, ${layout}, ${options.chunker}`, request, cairn, peer };
  },
};

async function added({ url }, authorization, bytes, { isTrickle, rawLeaves, cidVersion, links, chunker }) {
  const query = new URLSearchParams({
    'only-hash': 'true',
    trickle: String(isTrickle),
    'raw-leaves': String(rawLeaves),
    'cid-version': String(cidVersion),
    'max-file-links': String(links),
    chunker,
  });
  const body = new FormData();
  body.set('file', new Blob([bytes]));
  const answer = await fetch(`${url}/api/v0/add?${query}`, { method: 'POST', headers: { authorization }, body });
  const { Hash, Message } = await answer.json();
  return Hash ?? Message;
}

async function imported(bytes, { isTrickle, rawLeaves, cidVersion, links, chunker }) {
  const blocks = { put: async (cid) => cid };
  const entries = importer([{ content: bytes }], blocks, {
    cidVersion,
    rawLeaves,
    leafType: isTrickle ? 'raw' : 'file',
    reduceSingleLeafToSelf: !isTrickle,
    chunker: fixedSize({ chunkSize: Number(chunker.slice('size-'.length)) }),
    layout: isTrickle ? trickle({ maxChildrenPerNode: links }) : balanced({ maxChildrenPerNode: links }),
  });
  let last;
  for await (const { cid } of entries) last = cid.toString();
  return last;
}
