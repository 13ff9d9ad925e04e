import { expect, test } from '@jest/globals';
import type { Command } from '../command.ts';
import { sendTo } from '../peer/run-command.fixture.ts';
import { bandwidthOf, StatsBwCommand } from './stats-bw.command.ts';

test('bandwidthOf sums the rows of this service: those of the day, and those of the last whole minute', async () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  const asked: unknown[] = [];
  const row = (service: string, bytesIn: number, bytesOut: number) => ({
    ...{ accountId: 'a', key: 'k', service, operation: 'add', network: '', at: 0, requests: 1, errors: 0, limited: 0 },
    ...{ credits: 1, bytesIn, bytesOut, gas: 0, durationUs: 1, latency: [] },
  });
  const usage = {
    async *rows(accountId: string, span: { readonly from: number; readonly to: number }, resolution: string) {
      asked.push([accountId, new Date(span.from).toISOString(), span.to - span.from, resolution]);
      yield row('storage-api', 600, 60);
      yield row('rpc-gateway', 1, 1);
      yield row('storage-api', 1200, 0);
    },
  };
  expect(await bandwidthOf(usage, 'a', now)).toEqual({ TotalIn: 1800, TotalOut: 60, RateIn: 30, RateOut: 1 });
  expect(asked).toEqual([
    ['a', '2026-01-02T00:00:00.000Z', 86_400_000, 'day'],
    ['a', '2026-01-02T03:03:00.000Z', 60_000, 'minute'],
  ]);
});

test('stats/bw accepts the intervals of Kubo, and refuses others in the words of Go', async () => {
  const usage = { rows: async function* () {} };
  const command = new StatsBwCommand({ usage } as never, undefined);
  const send = (interval: string) => sendTo(command as Command, `interval=${interval}`);
  for (const interval of ['0s', '0', '-1s', '100000h'])
    expect((await send(interval)).values).toEqual([{ TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }]);
  expect(await send('abc')).toMatchObject({ status: 500, message: 'time: invalid duration "abc"' });
});
