import { exchange } from './exchange.mjs';

const badArguments = 'bad arguments have status 400, with the words of Kubo';

/** Accepted differences of all commands. */
export const shared = {
  [badArguments]: 'Kubo sends status 500 and code 0; the service sends 400 and code 1, because a retry cannot succeed.',
  'error without the place': 'Kubo writes the place in the DAG in front of the missing block, which both name.',
  'trailer without the place': 'Kubo writes the place in the DAG in front of the missing block, which both name.',
  'another missing block': 'Of several missing blocks either may be found first.',
  'progress of a block under two CIDs': 'Kubo counts a block for each of its CIDs, the service once.',
  'export of a block under two CIDs': 'With local-only Kubo exports a block under the first of its CIDs alone.',
  'error without types of dag-pb': 'Below /ipld/ Kubo names the Go types of fields of dag-pb.',
};

/** Headers that differ by design or by chance; the README of the service gives the reasons. */
const ignored = new Set([
  ...['date', 'server', 'vary', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'],
  ...['access-control-allow-headers', 'access-control-expose-headers', 'x-request-id'],
  ...['ratelimit', 'ratelimit-policy', 'strict-transport-security', 'x-content-type-options', 'retry-after'],
]);

/**
 * Sends a request to both servers and compares status, headers, trailers and body.
 * @param request path, parts, method; `isUnordered` for lines and lists without a defined order
 */
export async function compare({ kubo, storage, authorization }, request) {
  const [cairn, peer] = await Promise.all([
    exchange(storage.url, { ...request, headers: { ...request.headers, authorization } }),
    exchange(kubo.url, request),
  ]);
  const what = edgeOf(request, cairn, peer) ?? difference(cairn, peer, request);
  if (what === undefined) return { cairn, peer, difference: undefined };
  const parts = request.parts?.map((bytes) => bytes.toString('base64').slice(0, 2000));
  return {
    cairn,
    peer,
    difference: {
      class: what in shared ? what : `${request.path.split('?')[0]}: ${what}`,
      request: { path: request.path, method: request.method, parts },
      cairn: printed(cairn),
      peer: printed(peer),
    },
  };
}

/** Returns the class of a difference that depends on the request, or undefined. */
function edgeOf({ path }, cairn, peer) {
  if (cairn.status !== 200 || peer.status !== 200 || cairn.body.equals(peer.body)) return undefined;
  const withoutProgress = ({ body }) => body.toString().replace(/{"Progress":\d+,"Bytes":\d+}\n/g, '');
  if (path.startsWith('pin/add') && path.includes('progress=true') && withoutProgress(cairn) === withoutProgress(peer))
    return 'progress of a block under two CIDs';
  const isLocal = path.startsWith('dag/export') && path.includes('local-only=true');
  return isLocal && cairn.body.length > peer.body.length ? 'export of a block under two CIDs' : undefined;
}

/** Error text of boxo when one of several links is missing; the service names the block. */
const allNodes = 'failed to fetch all nodes';

function wordsDiffer(ours = '', theirs = '', where) {
  if (ours === theirs) return undefined;
  // Kubo prefixes the place, such as `error traversing node at "a/b": could not load link "bafy…": `.
  if (theirs.includes(ours)) return `${where} without the place`;
  const [word, other] = [ours, theirs].map((text) => text.replace(/could not find \w+$/, 'could not find a block'));
  if (word === other) return 'another missing block';
  return theirs.includes('dagpb.') ? `${where} without types of dag-pb` : `words of ${where}`;
}

/** Returns the kind of the difference of two answers, or undefined. */
export function difference(cairn, peer, { isUnordered = false } = {}) {
  const [ours, theirs] = [valuesOf(cairn), valuesOf(peer)];
  if (cairn.status === 400 && peer.status === 500 && ours[0]?.Code === 1)
    return ours[0].Message === theirs[0]?.Message ? badArguments : '400 for 500, other words';
  if (cairn.status !== peer.status) return `status ${cairn.status}, not ${peer.status}`;
  for (const name of new Set([...Object.keys(cairn.headers), ...Object.keys(peer.headers)])) {
    if (!ignored.has(name) && cairn.headers[name] !== peer.headers[name])
      return `header ${name} is ${cairn.headers[name]}, not ${peer.headers[name]}`;
  }
  const [trailer, wanted] = [cairn.trailers['x-stream-error'], peer.trailers['x-stream-error']];
  if (trailer !== wanted)
    return trailer === undefined || wanted === undefined
      ? 'trailer on one side'
      : wordsDiffer(trailer, wanted, 'trailer');
  if (peer.headers['content-type'] !== 'application/json')
    return cairn.body.equals(peer.body) ? undefined : 'bytes of body';
  if (cairn.status >= 400) return wordsDiffer(ours[0]?.Message, theirs[0]?.Message, 'error');
  for (const [index, line] of theirs.entries()) if (line.Err === allNodes && ours[index]?.Err) ours[index] = line;
  // Kubo may report any of several missing blocks first, and reports roots in random order.
  for (const { Root: root } of [...ours, ...theirs])
    if (root?.PinErrorMsg?.includes('could not find')) root.PinErrorMsg = 'a block is missing';
  const sorted = (values) => values.map((value) => JSON.stringify(canonical(value, isUnordered)));
  const [one, other] = [sorted(ours), sorted(theirs)];
  if (isUnordered) for (const list of [one, other]) list.sort();
  return JSON.stringify(one) === JSON.stringify(other) ? undefined : `JSON of body`;
}

function valuesOf({ headers, body }) {
  if (headers['content-type'] !== 'application/json') return [];
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      return line;
    }
  });
}

function canonical(value, isUnordered) {
  if (Array.isArray(value)) {
    const list = value.map((item) => canonical(item, isUnordered));
    return isUnordered ? list.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key], isUnordered)]),
  );
}

const printed = ({ status, headers, trailers, body }) => ({
  status,
  type: headers['content-type'],
  trailers,
  body: body.toString().slice(0, 1200),
});
