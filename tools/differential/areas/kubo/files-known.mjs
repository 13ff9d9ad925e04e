import { posix } from 'node:path';
import { messageOf } from './exchange.mjs';

/** Accepted differences of the area `files`, with their reasons. */
export const known = {
  'status of a bad argument': 'The service answers an invalid argument with 400 and Code 1, Kubo with 500 and Code 0.',
  'traces of a failed command': 'A command that fails changes nothing; Kubo keeps what it did before it failed.',
  'directory moved into itself': 'The move is refused; Kubo loses the directory.',
  'move between directories of one name':
    'The entry moves; Kubo compares the names of the two directories alone, and copies.',
  'bytes of a root that Kubo drops':
    'Kubo puts a single raw leaf in the place of a root that holds bytes as well, and loses them; here they stay.',
  'path that is not cleaned': 'files/chcid and files/flush of Kubo do not resolve relative names.',
  'leaves that Kubo remembers':
    'A raw file that gets a mode or time becomes a node of version 0; the cache of Kubo still writes raw leaves into it.',
  'stale size in a link of Kubo':
    'Kubo links to a changed entry with the size that it had before; here the size is that of the blocks.',
  'directory that Kubo keeps sharded':
    'A sharded directory becomes plain when its entries fit; Kubo asks only after its directory in memory has shrunk.',
  'format of the root by an empty path':
    'files/chcid of Kubo refuses "/" and changes the root where the path is empty; here both are refused.',
  'format of a symlink without a format':
    'files/chcid without options changes nothing; Kubo fails to flush the symlink, and the service does not look.',
  'path below /ipfs': 'files/stat reads it as content, and both refuse it with a status of their own.',
  'mode of a raw leaf without permissions':
    'A mode such as 1000 has no stored bit; Kubo writes a node with the mode 0, here the leaf stays raw.',
  'symlink copied with flush':
    'The copy succeeds; Kubo stores the symlink as well, and reports that it cannot flush it.',
};

/** Names the class of a difference. */
export function kindOf(details) {
  const { request, kind, path, cairn, peer } = details;
  if (kind === 'status of a bad argument' && path === undefined) return kind;
  if (kind === undefined && cairn.status !== 200) return 'traces of a failed command';
  const found = Object.entries(recognizers).find(([, recognize]) => recognize(details));
  if (found !== undefined) return found[0];
  const words = [cairn, peer].map((answer) => wordsOf(answer));
  const tree = path === undefined ? '' : ', other tree';
  return `${request.command}: ${kind ?? 'same answer'}${tree}${words.every((word) => word === '') ? '' : `: ${words.join(' | ')}`}`;
}

const argsOf = ({ query }) => query.filter(([name]) => name === 'arg').map(([, value]) => String(value));

const isRight = ({ CumulativeSize, SizeLocal }) => CumulativeSize === SizeLocal;

const isRelative = (path) => /(^|\/)\.\.?(\/|$)/.test(path);

const recognizers = {
  'path that is not cleaned': ({ request }) =>
    ['files/chcid', 'files/flush'].includes(request.command) && argsOf(request).some(isRelative),
  'bytes of a root that Kubo drops': ({ request, kind, path, trees: [cairn, peer] }) =>
    request.command === 'files/write' &&
    kind === undefined &&
    peer.get(path)?.Hash?.startsWith('bafkr') &&
    peer.get(path)?.Size < cairn.get(path)?.Size,
  'leaves that Kubo remembers': ({ request, kind, path, trees: [cairn, peer] }) =>
    request.command === 'files/write' &&
    kind === undefined &&
    cairn.get(path)?.Hash?.startsWith('Qm') &&
    cairn.get(path)?.Type === 'file' &&
    cairn.get(path)?.Size === peer.get(path)?.Size,
  'stale size in a link of Kubo': ({ kind, path, local }) =>
    kind === undefined && path !== undefined && isRight(local[0]) && !isRight(local[1]),
  'directory moved into itself': ({ request, cairn, before }) => {
    const [from] = argsOf(request);
    return (
      request.command === 'files/mv' &&
      cairn.status === 500 &&
      before.get(posix.normalize(from))?.Type === 'directory' &&
      messageOf(cairn)?.includes('cannot flush')
    );
  },
  'move between directories of one name': ({ request, path, trees: [cairn, peer] }) =>
    request.command === 'files/mv' &&
    path !== undefined &&
    !cairn.has(argsOf(request)[0]) &&
    peer.has(argsOf(request)[0]),
  'directory that Kubo keeps sharded': ({ kind, path, trees: [cairn, peer], forms }) =>
    kind === undefined && forms?.[0] === 'plain' && forms[1] === 'sharded' && sameEntries(cairn, peer, path),
  'format of the root by an empty path': ({ request, cairn }) =>
    request.command === 'files/chcid' &&
    argsOf(request).includes('') &&
    messageOf(cairn)?.startsWith('cannot change CID format of the MFS root'),
  'format of a symlink without a format': ({ request, peer }) =>
    request.command === 'files/chcid' && messageOf(peer) === 'symlinks not yet supported',
  'path below /ipfs': ({ kind, path }) => kind === undefined && /^\/ipfs\//.test(path ?? ''),
  'mode of a raw leaf without permissions': ({ request, kind, before, path }) =>
    request.command === 'files/chmod' &&
    kind === undefined &&
    /000$/.test(argsOf(request)[0]) &&
    before.get(path)?.Hash?.startsWith('bafk'),
  'symlink copied with flush': ({ request, peer }) =>
    request.command === 'files/cp' && messageOf(peer)?.endsWith('symlinks not yet supported'),
};

/** Reports whether all paths below a directory have the same hash in both trees. */
function sameEntries(cairn, peer, path) {
  const below = (tree) =>
    [...tree].filter(([other]) => other !== path && other.startsWith(path === '/' ? path : `${path}/`));
  const entries = below(cairn);
  return entries.length === below(peer).length && entries.every(([other, { Hash }]) => peer.get(other)?.Hash === Hash);
}

/** Returns an error without the parts that vary between requests. */
function wordsOf(answer) {
  if (answer.status === 200) return '';
  return String(messageOf(answer))
    .replaceAll(/\b(Qm|baf)\w+/g, '<cid>')
    .replaceAll(/\/[^:"]*/g, '<path>')
    .replaceAll(/"[^"]*"/g, '<name>')
    .trim();
}
