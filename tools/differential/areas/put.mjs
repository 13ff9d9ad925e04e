import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { shrink } from '../shrink.mjs';
import { exchange } from './add/exchange.mjs';
import { randomBlockPut, randomDagPut } from './put/requests.mjs';

const cutOff = 'data that ends early';
const strict = 'identity contents over 128 bytes and hash functions without a name here';

/** Compares `dag/put` of random values between codecs, and `block/put` with random names. */
export default {
  name: 'put',
  peer: 'kubo',
  known: {
    [cutOff]: 'Kubo answers 200 without a CID; here it is an error.',
    [strict]: 'Kubo prints the CID before it refuses to keep the block.',
    'which of several errors':
      'Both refuse with another text. Texts of Go’s parsers are matched where clients see them.',
  },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage();
    const { authorization } = await storage.openAccount();
    return { kubo, storage, authorization, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    yield await difference(context, 'dag/put', randomDagPut(random));
    yield await difference(context, 'block/put', randomBlockPut(random));
  },
};

async function difference(context, command, request) {
  const found = await compare(context, command, request);
  if (found === undefined) return undefined;
  const smallest = await shrink(
    request,
    async (shorter) => (await compare(context, command, shorter))?.kind === found.kind,
  );
  const { kind, cairn, peer } = (await compare(context, command, smallest)) ?? found;
  const names = smallest.query.map(([name, value]) => `${name}=${value}`).sort();
  return {
    class: kind.startsWith('known: ') ? kind.slice(7) : [command, kind, ...names].join(' '),
    request: smallest,
    cairn,
    peer,
  };
}

async function compare({ kubo, storage, authorization }, command, request) {
  const [cairn, peer] = await Promise.all([
    exchange(storage.url, command, request, authorization),
    exchange(kubo.url, command, request),
  ]);
  const kind = kindOf(cairn, peer);
  return kind === undefined ? undefined : { kind, cairn, peer };
}

function kindOf(cairn, peer) {
  const isRefused = cairn.status >= 400;
  if (peer.status >= 400 && isRefused) {
    const isSame = (cairn.lines[0]?.Message ?? cairn.lines[0]) === (peer.lines[0]?.Message ?? peer.lines[0]);
    return isSame ? undefined : 'known: which of several errors';
  }
  if (isRefused && peer.status === 200 && peer.trailer !== undefined) return `known: ${strict}`;
  if (isRefused && peer.status === 200 && peer.lines.length === 0) return `known: ${cutOff}`;
  if (cairn.status !== peer.status) return `status ${cairn.status} for ${peer.status}`;
  if (cairn.trailer !== peer.trailer) return 'trailer';
  return JSON.stringify(cairn.lines) === JSON.stringify(peer.lines) ? undefined : 'lines';
}
