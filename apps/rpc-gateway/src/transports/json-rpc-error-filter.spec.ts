import { CairnError } from '@cairn/errors';
import { createLogger } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { JsonRpcErrorFilter } from './json-rpc-error-filter.ts';
import { TransportError } from './transport-error.ts';

const filter = new JsonRpcErrorFilter(createLogger({ name: 'test', level: 'silent' }));

test.each([
  [
    'a TransportError',
    new TransportError({ status: 405, name: 'request', message: 'POST only.', headers: { allow: 'POST' } }),
    { status: 405, headers: { 'content-type': 'application/json', allow: 'POST' } },
    { code: -32600, message: 'POST only.' },
  ],
  [
    'a reached limit',
    new CairnError('LIMIT_REACHED', 'Too many requests.', { details: { retryAfterSeconds: 3 } }),
    { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '3' } },
    { code: -32005, message: 'Too many requests.', data: { retryAfterSeconds: 3 } },
  ],
  [
    'a store that does not answer, without its address',
    new CairnError('POSTGRES_UNAVAILABLE', 'db.internal does not answer.'),
    { status: 503, headers: { 'content-type': 'application/json', 'retry-after': '1' } },
    {
      code: -32002,
      message: 'A store of the service does not answer. Retry in a moment.',
      data: { retryAfterSeconds: 1 },
    },
  ],
  [
    'any other error, without its text',
    new Error('planted secret'),
    { status: 500, headers: { 'content-type': 'application/json' } },
    { code: -32603, message: 'Internal error (reference id-1).' },
  ],
])('catch converts %s to a status and a JSON-RPC body', (_, thrown, response, error) => {
  const { body, ...rest } = filter.catch(thrown, 'id-1');
  expect(rest).toEqual(response);
  expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', id: null, error });
});
