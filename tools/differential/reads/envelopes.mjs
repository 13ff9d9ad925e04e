import { differenceOf } from './compare.mjs';

const omitted = Symbol('omitted');
const members = {
  jsonrpc: ['2.0', '2.0', '2.0', '2.0', '1.0', 2, null, '', omitted],
  id: [1, 1, 0, -1, 1.5, 1e21, '', 'a', 'é"\\', null, true, false, {}, [1], omitted],
  method: [
    'eth_chainId',
    'eth_chainId',
    'net_version',
    'no_such_method',
    'nothing',
    '',
    null,
    5,
    {},
    omitted,
    'x'.repeat(3000),
  ],
  params: [[], [], omitted, null, {}, 'x', 5, true, [1], ['latest']],
};

/** Returns a request whose members are sometimes malformed or absent. */
function oddRequest(random) {
  if (random.chance(0.08)) return random.pick([null, 5, 'x', true, [], {}, [[]]]);
  const request = Object.entries(members).map(([name, values]) => [
    name,
    random.chance(0.75) ? values[0] : random.pick(values),
  ]);
  return Object.fromEntries(request.filter(([, value]) => value !== omitted));
}

/** Returns a body: one request, a batch, or invalid JSON. */
export function oddBody(random) {
  if (random.chance(0.05)) return random.pick(['', '{', '[', '{"a":}', 'x', '[1,]', '{}{}', '[]']);
  if (random.chance(0.5)) return JSON.stringify(oddRequest(random));
  return JSON.stringify(Array.from({ length: random.integer(1, 4) }, () => oddRequest(random)));
}

/** Compares whole answers: the difference of each pair, in order. */
export function* differencesOfBodies(body, cairn, peer) {
  if (body === '' || body === '{}{}') {
    const name = body === '' ? 'an empty body' : 'a body with two values';
    yield { class: `envelope: ${name}`, request: body, cairn, peer };
    return;
  }
  if (cairn === undefined || peer === undefined || Array.isArray(cairn) !== Array.isArray(peer)) {
    yield cairn === peer
      ? undefined
      : { class: 'envelope: another form of answer', request: body.slice(0, 500), cairn, peer };
    return;
  }
  const [ours, theirs] = [cairn, peer].map((answer) => [answer].flat());
  if (ours.length !== theirs.length) {
    yield { class: 'envelope: another number of answers', request: body.slice(0, 500), cairn, peer };
    return;
  }
  for (const [index, one] of ours.entries()) {
    const other = theirs[index];
    const difference = JSON.stringify(one.id) === JSON.stringify(other.id) ? differenceOf({}, one, other) : 'id';
    yield difference && { class: `envelope: ${difference}`, request: body.slice(0, 500), cairn: one, peer: other };
  }
}
