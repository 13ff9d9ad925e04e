import { expect, test } from '@jest/globals';
import { httpRequest, ProviderRpcError } from './rpc-request.ts';

const requestTo = (body: string) =>
  httpRequest('http://gateway.example/secret', { fetch: () => Promise.resolve(new Response(body)) })({
    method: 'eth_blockNumber',
  });

test('an answer of very many values is not parsed', async () => {
  await expect(requestTo(`{"result":[${'{},'.repeat(1_000_000)}{}]}`)).rejects.toMatchObject({
    code: 'ANSWER_MALFORMED',
    message: expect.stringContaining('1000000 values'),
  });
});

test.each(['{}', '[]', '{"message":"no such route"}', '{"jsonrpc":"2.0","id":1}'])(
  'the answer %s without a result is no null',
  async (body) => {
    await expect(requestTo(body)).rejects.toMatchObject({ code: 'ANSWER_MALFORMED' });
    expect(await requestTo('{"jsonrpc":"2.0","id":1,"result":null}')).toBeNull();
  },
);

test.each([
  ['an object as message', '{"code":-32000,"message":{"toString":1}}', -32000],
  ['no message', '{"code":-32000}', -32000],
  ['a text', '"no"', -32603],
  ['true', 'true', -32603],
])('an error of the gateway with %s is a ProviderRpcError', async (_, error, code) => {
  const thrown = await requestTo(`{"jsonrpc":"2.0","id":1,"error":${error}}`).catch((reason) => reason);
  expect(thrown).toBeInstanceOf(ProviderRpcError);
  expect(thrown).toMatchObject({ code, message: 'The error of the gateway has no message.' });
});
