import { afterEach, expect, test } from '@jest/globals';
import { readiness } from '../health.ts';
import { AdminServer, createRegistry } from './admin-server.ts';
import { registerEngineMetrics } from './engine-metrics.ts';
import { registerGauge } from './gauges.ts';
import { type OperationCounts, registerUsageMetrics } from './usage-metrics.ts';

let admin: AdminServer | undefined;
afterEach(() => admin?.close());

const counts: OperationCounts = {
  operation: 'eth_call',
  network: 'main',
  requests: 10,
  errors: 3,
  limited: 1,
  credits: 200,
  bytesIn: 5,
  bytesOut: 6,
  gas: 7,
  durationUs: 2_500_000,
  latency: [4, 5, 1],
};

async function start(problem?: string) {
  const registry = createRegistry('test');
  const load = { running: 2 };
  registerUsageMetrics(registry, { counts: () => [counts], boundsMs: [1, 2] });
  registerGauge(registry, 'cairn_calls_running', 'Calls.', () => load.running);
  registerGauge(registry, 'cairn_head', 'Height.', () => [[{ network: 'main' }, 24]], ['network']);
  registerGauge(registry, 'cairn_none', 'Nothing yet.', () => undefined);
  const dependencies = () => [{ name: 'blocks' }, { name: 'chain', problem }];
  admin = new AdminServer({ port: 0, host: '127.0.0.1', registry, dependencies });
  const url = `http://127.0.0.1:${await admin.listen()}`;
  const get = (path: string, method = 'GET') => fetch(`${url}${path}`, { method });
  return { get, load };
}

test('metrics report rate, errors and duration at the time of the request', async () => {
  const { get, load } = await start();
  load.running = 5;
  const answer = await get('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await answer.text()).split('\n');
  const labels = 'operation="eth_call",network="main"';
  for (const line of [
    `cairn_requests_total{${labels},outcome="ok",service="test"} 7`,
    `cairn_requests_total{${labels},outcome="error",service="test"} 2`,
    `cairn_requests_total{${labels},outcome="limited",service="test"} 1`,
    `cairn_credits_total{${labels},service="test"} 200`,
    `cairn_request_duration_seconds_bucket{${labels},le="0.001",service="test"} 4`,
    `cairn_request_duration_seconds_bucket{${labels},le="0.002",service="test"} 9`,
    `cairn_request_duration_seconds_bucket{${labels},le="+Inf",service="test"} 10`,
    `cairn_request_duration_seconds_sum{${labels},service="test"} 2.5`,
    `cairn_request_duration_seconds_count{${labels},service="test"} 10`,
    'cairn_calls_running{service="test"} 5',
    'cairn_head{network="main",service="test"} 24',
  ])
    expect(lines).toContain(line);
  expect(lines.some((line) => line.startsWith('cairn_nodejs_eventloop_lag_seconds'))).toBe(true);
  expect(lines.some((line) => line.startsWith('cairn_none{'))).toBe(false);
  // A second read counts nothing twice.
  expect((await (await get('/metrics')).text()).split('\n')).toContain(
    `cairn_credits_total{${labels},service="test"} 200`,
  );
});

test('engines report their state, and an engine that is away for a moment leaves the service ready', async () => {
  const registry = createRegistry('test');
  const engine = {
    name: 'postgres',
    warning: 'The database does not answer.',
    gauges: { waiting: 3 },
    counters: { statements: 9 },
    failures: { POSTGRES_UNAVAILABLE: 2 },
  };
  registerEngineMetrics(registry, () => [engine]);
  registerGauge(registry, 'cairn_away', 'Read from the engine.', () => Promise.reject(new Error('away')));
  const text = await registry.metrics();
  for (const line of [
    'cairn_engine_up{engine="postgres",service="test"} 0',
    'cairn_engine_state{engine="postgres",of="waiting",service="test"} 3',
    'cairn_engine_work_total{engine="postgres",of="statements",service="test"} 9',
    'cairn_engine_failures_total{engine="postgres",code="POSTGRES_UNAVAILABLE",service="test"} 2',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).not.toMatch(/^cairn_away/m);
  expect(readiness([engine])).toEqual({ status: 'ok', dependencies: { postgres: 'The database does not answer.' } });
});

test('readiness names each dependency', async () => {
  const { get } = await start('importing');
  expect((await get('/livez')).status).toBe(200);
  const answer = await get('/readyz');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    status: 'unavailable',
    reason: 'importing',
    dependencies: { blocks: 'ok', chain: 'importing' },
  });
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
});
