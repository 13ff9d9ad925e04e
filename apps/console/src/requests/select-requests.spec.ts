import type { LoggedRequest } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { requestsCsv } from './requests-csv.ts';
import { selectRequests } from './select-requests.ts';

const request = (at: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  at,
  service: 'rpc-gateway',
  operation: 'eth_call',
  network: 'main',
  key: 'k',
  outcome: 'ok',
  durationMs: 1,
  credits: 2,
  requestId: `id${at}`,
  ...more,
});

async function* chunks(...lists: LoggedRequest[][]) {
  yield* lists;
}

const all = { offset: 0, count: 10 };

test('selectRequests sorts chunks of several processes by time and pages through them', async () => {
  const log = () => chunks([request(9), request(3)], [request(8), request(4)]);
  const { requests, matching, logged, since } = await selectRequests(log(), {}, { offset: 1, count: 2 });
  expect(requests.map(({ at }) => at)).toEqual([8, 4]);
  expect([matching, logged, since]).toEqual([4, 4, 3]);
});

test('selectRequests filters by each field', async () => {
  const odd = request(5, { operation: 'add', network: '', key: 'l', outcome: 'error', origin: 'https://a.example' });
  const log = () => chunks([request(9), odd, request(1)]);
  const select = async (filter: object) => (await selectRequests(log(), filter, all)).requests.map(({ at }) => at);
  expect(await select({ operation: 'add' })).toEqual([5]);
  expect(await select({ network: '' })).toEqual([5]);
  expect(await select({ key: 'l', outcome: 'error' })).toEqual([5]);
  expect(await select({ origin: 'https://a.example' })).toEqual([5]);
  expect(await select({ origin: '' })).toEqual([9, 1]);
  expect(await select({ requestId: 'id9' })).toEqual([9]);
  expect(await select({ from: 2, to: 9 })).toEqual([5]);
});

test('selectRequests counts refusals by limit and operation, and requests by origin', async () => {
  const refused = { outcome: 'limited', limit: 'creditsPerDay' } as const;
  const log = chunks([request(9, refused), request(8, { ...refused, operation: 'eth_chainId' }), request(7, refused)]);
  const { refusals, origins } = await selectRequests(log, { operation: 'none' }, all);
  expect(refusals).toEqual([
    { limit: 'creditsPerDay', operation: 'eth_call', count: 2, lastAt: 9 },
    { limit: 'creditsPerDay', operation: 'eth_chainId', count: 1, lastAt: 8 },
  ]);
  expect(origins).toEqual([{ origin: '', requests: 3, errors: 0, limited: 3 }]);
});

test('requestsCsv quotes fields and defuses formulas', () => {
  const csv = requestsCsv([request(0, { operation: 'a,"b"', error: '-32000', origin: '=cmd()' })]);
  expect(csv.split('\r\n')).toEqual([
    'time,service,operation,network,key,outcome,error,limit,durationMs,credits,requestId,origin',
    `1970-01-01T00:00:00.000Z,rpc-gateway,"a,""b""",main,k,ok,-32000,,1,2,id0,'=cmd()`,
    '',
  ]);
});
