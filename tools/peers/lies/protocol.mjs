// Lies in the envelope: errors, ids, order and number of the answers.
const unprovable = { isProvable: false };
const own = new Set(['eth_chainId', 'eth_subscribe']);
/** Errors for reads; chain id and head stay honest, so that the upstream is used. */
const error = (content) => ({
  ...unprovable,
  answer: (answer, { method, params }) =>
    own.has(method) || params[0] === 'latest' ? answer : { jsonrpc: '2.0', id: answer.id, error: content },
});
const batch = (change) => ({ ...unprovable, answers: change });
const readsOnly = (change) => (answers, calls) =>
  calls.every(({ method, params }) => own.has(method) || params[0] === 'latest') ? answers : change(answers, calls);

export const protocolLies = [
  { name: 'error: header not found', ...error({ code: -32000, message: 'header not found' }) },
  { name: 'error: reverted', ...error({ code: 3, message: 'execution reverted', data: '0x08c379a0' }) },
  { name: 'error: method not found', ...error({ code: -32601, message: 'the method does not exist' }) },
  { name: 'error: rate limit', ...error({ code: -32005, message: 'rate limit exceeded' }) },
  { name: 'error: pruned state', ...error({ code: -32000, message: 'missing trie node' }) },
  { name: 'error: internal', ...error({ code: -32603, message: 'internal error' }) },
  { name: 'error: batch too large', ...error({ code: -32000, message: 'batch too large' }) },
  { name: 'error with an object as message', ...error({ code: -32000, message: { toString: 1, valueOf: 1 } }) },
  { name: 'error with an object as code', ...error({ code: { toString: 1, valueOf: 1 }, message: 'x' }) },
  { name: 'error with a message of 4 MiB', ...error({ code: -32000, message: 'x'.repeat(4 << 20) }) },
  { name: 'error is a text', ...error('no') },
  { name: 'error is true', ...error(true) },
  {
    name: 'error beside a result',
    ...unprovable,
    answer: (answer) => ({ ...answer, error: { code: 1, message: 'both' } }),
  },
  {
    name: 'neither result nor error',
    ...unprovable,
    answer: (answer, call) => (own.has(call.method) ? answer : { jsonrpc: '2.0', id: answer.id }),
  },
  {
    name: 'ids of no call',
    ...batch(readsOnly((answers) => answers.map((answer) => ({ ...answer, id: answer.id + 1000 })))),
  },
  {
    name: 'ids as texts',
    ...batch(readsOnly((answers) => answers.map((answer) => ({ ...answer, id: `${answer.id}` })))),
  },
  { name: 'ids missing', ...batch(readsOnly((answers) => answers.map(({ id: _, ...answer }) => answer))) },
  {
    name: 'ids as objects',
    ...batch(readsOnly((answers) => answers.map((answer) => ({ ...answer, id: { id: answer.id } })))),
  },
  {
    name: 'ids exchanged within a batch',
    isProvable: undefined,
    answers: readsOnly((answers) =>
      answers.map((answer, index) => ({ ...answer, id: answers[(index + 1) % answers.length].id })),
    ),
  },
  {
    name: 'one answer for all',
    isProvable: undefined,
    answers: readsOnly((answers) => answers.map((answer) => ({ ...answers[0], id: answer.id }))),
  },
  {
    name: 'repeated answers, the first ones false',
    isProvable: undefined,
    answers: readsOnly((answers) => [...answers.map((answer) => ({ ...answer, result: '0x' })), ...answers]),
  },
  {
    name: 'repeated answers, the last ones false',
    ...batch(readsOnly((answers) => [...answers, ...answers.map((answer) => ({ ...answer, result: '0x' }))])),
  },
  { name: 'reordered answers', ...batch((answers) => answers.toReversed()) },
  { name: 'omitted answers', ...batch(readsOnly((answers) => answers.slice(0, Math.floor(answers.length / 2)))) },
  { name: 'no answers', ...batch(readsOnly(() => [])) },
  {
    name: 'answers to 10,000 further ids',
    ...batch(
      readsOnly((answers) => [
        ...answers,
        ...Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id: 1e6 + id, result: '0x' })),
      ]),
    ),
  },
  { name: 'one object for a batch', ...batch(readsOnly((answers) => ({ ...answers[0] }))) },
  { name: 'lists in a list', ...batch(readsOnly((answers) => [[answers]])) },
  { name: 'null for a batch', ...batch(readsOnly(() => null)) },
  { name: 'text for a batch', ...batch(readsOnly(() => 'ok')) },
  {
    name: 'one error for a batch',
    ...batch(readsOnly(() => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'invalid request' } }))),
  },
  { name: 'nulls among the answers', ...batch(readsOnly((answers) => [null, 5, 'x', ...answers, null])) },
  {
    name: 'answers with prototype keys',
    ...unprovable,
    text: (text) =>
      text.replaceAll('"jsonrpc"', '"__proto__":{"result":null,"error":{"code":1}},"constructor":{},"jsonrpc"'),
  },
];
