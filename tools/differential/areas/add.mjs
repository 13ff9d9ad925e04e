import { startStorage } from '../../peers/cairn.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { shrink } from '../shrink.mjs';
import { exchange } from './add/exchange.mjs';
import { randomAdd } from './add/requests.mjs';

/** Compares random trees added with random options. */
export default {
  name: 'add',
  peer: 'kubo',
  known: {
    'the first of several errors':
      'Both refuse with 400 or 500 and report different faults of several, because they check in another order.',
    'only-hash of directories':
      'Kubo hashes the outermost directory without the limits of the request, and none with mode or time; here only-hash gives the CIDs of the same add.',
    'insecure hash function of inline contents':
      'Kubo reports the CIDs of contents that are inline before it refuses the function; here it is refused before the body is read.',
    'identity of a directory over 128 bytes':
      'Kubo ends as soon as a directory that it holds is too long, also one above a single file, which the service does not write.',
    'names that end with a dot':
      'Kubo takes the directory "a/." for one beside a file "a", which it then replaces; here the name is taken.',
  },
  async start() {
    const kubo = await startKubo();
    if (kubo === undefined) return undefined;
    const storage = await startStorage();
    const { authorization } = await storage.openAccount();
    return { kubo, storage, authorization, stop: () => Promise.all([kubo.stop(), storage.stop()]) };
  },
  async *round(context, random) {
    const request = randomAdd(random);
    const found = await compare(context, request);
    if (found === undefined) {
      yield undefined;
      return;
    }
    const smallest = await shrink(request, async (shorter) => (await compare(context, shorter))?.kind === found.kind);
    const { kind, cairn, peer } = (await compare(context, smallest)) ?? found;
    yield { class: edgeOf(smallest, cairn, peer) ?? classOf(kind, smallest), request: smallest, cairn, peer };
  },
};

/** Returns the class of a difference that depends on both answers. */
function edgeOf({ parts }, cairn, peer) {
  const [refused, reason] = [cairn.lines[0]?.Message, peer.trailer];
  if (refused !== undefined && refused === reason && reason.startsWith('potentially insecure hash'))
    return 'insecure hash function of inline contents';
  if (reason?.startsWith('digest too large: identity')) return 'identity of a directory over 128 bytes';
  if (
    cairn.trailer === 'directory already has entry by that name' &&
    parts.some(({ filename }) => /(^|\/)\.$/.test(filename))
  )
    return 'names that end with a dot';
  return undefined;
}

function classOf(kind, { query, parts }) {
  const names = query.map(([name]) => name).sort();
  if (kind.startsWith('message') && (query.length > 1 || parts.length !== 1)) return 'the first of several errors';
  const isLimited = names.some((name) => /^(max-|mode$|mtime$|preserve-|inline)/.test(name));
  if (names.includes('only-hash') && isLimited) return 'only-hash of directories';
  return [kind.replaceAll(/\b(Qm|baf)\w+/g, '<cid>').replaceAll(/\d+/g, 'N'), ...names].join(' ');
}

async function compare({ kubo, storage, authorization }, request) {
  const [cairn, peer] = await Promise.all([
    exchange(storage.url, 'add', request, authorization),
    exchange(kubo.url, 'add', request),
  ]);
  const kind = kindOf(cairn, peer);
  return kind === undefined ? undefined : { kind, cairn, peer };
}

/** Returns the kind of a difference. Kubo answers bad arguments with 500, the service with 400 and the same text. */
function kindOf(cairn, peer) {
  if (peer.status === 500 && cairn.status === 400)
    return cairn.lines[0]?.Message === peer.lines[0]?.Message ? undefined : `message ${peer.lines[0]?.Message}`;
  if (peer.status === 400 && cairn.status === 400 && cairn.lines[0] !== peer.lines[0])
    return `message ${peer.lines[0]}`;
  if (cairn.status !== peer.status) return `status ${cairn.status} for ${peer.status}`;
  if (cairn.type !== peer.type) return 'content type';
  if (cairn.trailer !== peer.trailer) return `trailer ${peer.trailer}`;
  return JSON.stringify(settled(cairn)) === JSON.stringify(settled(peer)) ? undefined : 'lines';
}

/** Keeps the last progress line of each file only: Kubo writes progress whenever its buffers are full. */
function settled({ lines, trailer }) {
  // The service refuses a duplicate name before it reads the content.
  if (trailer !== undefined) return lines.filter((line) => !isProgress(line));
  return lines.filter(
    (line, at) => !isProgress(line) || !isProgress(lines[at + 1]) || lines[at + 1].Name !== line.Name,
  );
}

const isProgress = (line) => line !== undefined && line.Hash === undefined && line.Name !== undefined;
