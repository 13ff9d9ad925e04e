import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';

const bases = ['base2', 'base16', 'base16upper', 'base32', 'base32hexpad', 'base32padupper', 'base36', 'base36upper'];
const moreBases = [
  'base58btc',
  'base58flickr',
  'base64',
  'base64pad',
  'base64url',
  'base256emoji',
  'z',
  'b',
  'base8',
  '',
];
const codecs = ['raw', 'dag-pb', 'dag-cbor', '0x71', '85', 'sha2-256', 'nope', ''];
const tokens = [...'%bBvVcChHLmMdDsSPx', 'z '];
const cids = [
  'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  'bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34',
  'zdj7WgZb7dJCFFLxEgawRRQ5M6Eni9d8ix75bfo2JC14nHRQJ',
  'k51qzi5uqu5dj6t5wncmn3idoqhtpwa91hpx9ofvv2rqt4ddhck6lxw2yma345',
  '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2',
  'bafkqaaa',
  'f015512205891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
];
const edits = [...'=\n -_+/09azAZ!é'];

/** Compares `cid/*` and `multibase/*` with random formats, bases, CIDs and damaged texts. */
export default {
  name: 'cid',
  peer: 'kubo',
  known: {
    'signs in base2': 'Go reads +0000000 and -0000001 as octets; both are refused here.',
    'base2 beyond ASCII': 'Go quotes bytes of a cut character one by one.',
    'Kubo ends a request for version 0 of another hash': 'Kubo panics; here the line of that CID has the reason.',
    'names of other multicodecs': 'Codes that name neither a codec nor a hash function print as Code(n) here.',
  },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage();
    const { authorization } = await storage.openAccount();
    return { kubo, storage, authorization, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    yield await compare(context, formatRequest(random));
    yield await compare(context, { path: `cid/inspect?arg=${encodeURIComponent(randomCid(random))}` });
    yield await compare(context, { path: `cid/base32?arg=${encodeURIComponent(randomCid(random))}` });
    const encode = { path: `multibase/encode?b=${anyBase(random)}`, file: random.bytes(random.integer(0, 24)) };
    yield await compare(context, encode);
    const text = await encodedBy(context, encode);
    const file = Buffer.from(damaged(text, random));
    yield await compare(context, { path: 'multibase/decode', file });
    yield await compare(context, { path: `multibase/transcode?b=${anyBase(random)}`, file });
  },
};

const anyBase = (random) => random.pick([...bases, ...moreBases]);

function randomCid(random) {
  return random.chance(0.6) ? random.pick(cids) : damaged(random.pick(cids), random);
}

function damaged(text, random) {
  const characters = [...text];
  for (let count = random.integer(0, 2); count > 0; count--)
    characters.splice(random.integer(1, characters.length), random.integer(0, 1), random.pick(edits));
  return characters.slice(0, random.chance(0.2) ? -1 : undefined).join('');
}

function formatRequest(random) {
  const query = new URLSearchParams();
  for (let count = random.integer(1, 3); count > 0; count--) query.append('arg', randomCid(random));
  if (random.chance(0.5)) query.set('v', random.pick(['0', '1', '1', '', '2']));
  if (random.chance(0.5)) query.set('b', anyBase(random));
  if (random.chance(0.3)) query.set('mc', random.pick(codecs));
  const format = Array.from({ length: random.integer(1, 4) }, () => `%${random.pick(tokens)}`).join(' ');
  if (random.chance(0.5)) query.set('f', random.chance(0.1) ? 'plain' : format);
  return { path: `cid/format?${query}` };
}

async function encodedBy({ kubo }, request) {
  const { status, body } = await send(kubo.url, request, {});
  return status === 200 ? body : 'bnbswy3dp';
}

async function compare({ kubo, storage, authorization }, request) {
  const [cairn, peer] = await Promise.all([send(storage.url, request, { authorization }), send(kubo.url, request, {})]);
  if (cairn.status === peer.status && cairn.body === peer.body) return undefined;
  const file = request.file && Buffer.from(request.file).toString();
  return { class: classOf({ ...request, file }, cairn, peer), request: { ...request, file }, cairn, peer };
}

function classOf({ path, file = '' }, cairn, peer) {
  if (file.startsWith('0') && /[+-]/.test(file)) return 'signs in base2';
  if (file.startsWith('0') && peer.body.includes('\\x')) return 'base2 beyond ASCII';
  if (/Code\(\d+\)/.test(cairn.body)) return 'names of other multicodecs';
  if (cairn.body.includes('invalid hash for cidv0')) return 'Kubo ends a request for version 0 of another hash';
  return `${path.split('?')[0]}: ${cairn.status} and ${peer.status}`;
}

async function send(url, { path, file }, headers) {
  const body = file && new FormData();
  body?.set('file', new Blob([file]), 'file');
  const answer = await fetch(`${url}/api/v0/${path}`, { method: 'POST', headers, ...(body && { body }) });
  const text = await answer.text();
  // Go escapes some characters in JSON that need no escape.
  return { status: answer.status, body: text.replace(/\\u(003c|003e|0026|fffd)/g, (code) => JSON.parse(`"${code}"`)) };
}
