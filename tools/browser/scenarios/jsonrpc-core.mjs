import { Dispatcher, defineMethod, RawJson, RpcError } from '@cairn/jsonrpc-core';
import { plain } from './tools.mjs';

const text = (field, value) => {
  if (typeof value === 'string') return value;
  throw new RpcError('params', `${field}: expected text.`);
};
const methods = [
  defineMethod()({
    name: 'echo',
    summary: 'Returns its text.',
    params: [{ name: 'text', summary: 'a text.', parse: text }],
    result: 'The text.',
    handle: ([given]) => given,
  }),
  defineMethod()({
    name: 'later',
    summary: 'Returns its text in a later turn.',
    params: [{ name: 'text', summary: 'a text.', parse: text }],
    result: 'The text.',
    handle: ([given]) => new Promise((resolve) => setTimeout(() => resolve(new RawJson(JSON.stringify(given))), 1)),
  }),
  defineMethod()({
    name: 'fail',
    summary: 'Fails.',
    params: [],
    result: 'Nothing.',
    handle() {
      throw new Error('a secret');
    },
  }),
];
const utf8 = (given) => new TextEncoder().encode(given);
const echo = (id, given, method = 'echo') => ({ jsonrpc: '2.0', id, method, params: [given] });

export async function run() {
  const calls = [];
  const dispatcher = new Dispatcher({ methods, onCall: ({ method, errorCode }) => calls.push([method, errorCode]) });
  const answers = [];
  for (const body of [
    JSON.stringify(echo(1, 'é€')),
    utf8(JSON.stringify(echo('a', '🚀', 'later'))),
    JSON.stringify(Array.from({ length: 300 }, (_, id) => echo(id, `text ${id}`, id % 2 ? 'later' : 'echo'))),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'fail', params: [] }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'none', params: [] }),
    JSON.stringify({ jsonrpc: '2.0', method: 'echo', params: ['notification'] }),
    '{"jsonrpc":"2.0","id":123456789012345678901,"method":"echo","params":["x"]}',
    Uint8Array.of(0x7b, 0xff, 0x7d),
    'no JSON',
    '['.repeat(100),
    '[]',
  ])
    answers.push((await dispatcher.handle(body, undefined)) ?? 'no answer');
  return plain({ answers, calls: calls.map(String).sort() });
}
