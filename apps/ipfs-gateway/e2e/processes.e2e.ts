import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLoad } from '../../../tools/peers/keep-alive-load.mjs';
import { until } from './raw-client.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-ipfs-processes-'));
/** An identity CID: it contains the text "hello". */
const path = '/ipfs/bafkqabtimvwgy3yk';
let service: RunningService;
beforeAll(async () => {
  const env = { IPFS_GATEWAY_ACCESS: 'public', CAIRN_PROCESSES: '2', LOG_LEVEL: 'debug' };
  service = await startService({ main, home, env });
  await until(() => serving().length === 2);
});
afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

const serving = () => service.log.flatMap(({ msg, pid }) => (msg === 'a process serves' ? [Number(pid)] : []));

const isWrong = ({ status, text }: { readonly status: number; readonly text: string }) =>
  status !== 200 || !text.includes('hello');

test('a killed process is replaced, and only its connections break', async () => {
  const connections = 8;
  const load = startLoad({ url: service.url, connections, next: () => ({ path }) });
  await until(() => load.answers.length > 50);
  process.kill(serving()[0] ?? 0, 'SIGKILL');
  await until(() => service.log.some(({ msg }) => msg === 'a process ended; it is replaced'));
  // Until its end is reported, the process is still given connections. From then on each connection breaks at most once.
  const before = load.failures.length;
  await until(() => serving().length === 3);
  const { answers, failures } = await load.stop();
  expect(failures.length - before).toBeLessThanOrEqual(connections);
  expect(failures.filter(({ code }) => code === 'ECONNREFUSED')).toEqual([]);
  expect(answers.filter(isWrong)).toEqual([]);
});

test('SIGUSR2 replaces all processes without a failed request', async () => {
  const load = startLoad({ url: service.url, next: () => ({ path }) });
  service.process.kill('SIGUSR2');
  await until(() => service.log.some(({ msg }) => msg === 'all processes are replaced'));
  const { answers, failures } = await load.stop();
  expect([failures, answers.filter(isWrong)]).toEqual([[], []]);
});
