import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLoad } from '../../../tools/peers/keep-alive-load.mjs';
import { Service } from './service.ts';

const service = new Service();
const authorization = `Basic ${Buffer.from('ann:secret-of-ann').toString('base64')}`;
const boundary = 'cairn-processes';

beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ CAIRN_PROCESSES: '2', LOG_LEVEL: 'debug', STORAGE_GC_GRACE_SECONDS: '0' });
  await until(() => serving().length === 2);
});
afterAll(() => service.remove());

function serving(): number[] {
  return [...service.log.matchAll(/"pid":(\d+),"msg":"a process serves"/g)].map(([, pid]) => Number(pid));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Sends a command several times, each on a connection of its own, so that every process gets it. */
function sendEach(path: string): Promise<readonly { readonly status: number; readonly text: string }[]> {
  const send = async () => {
    const headers = { authorization, connection: 'close' };
    const answer = await fetch(`${service.url}/api/v0/${path}`, { method: 'POST', headers });
    return { status: answer.status, text: await answer.text() };
  };
  return Promise.all(Array.from({ length: 6 }, send));
}

const contentOf = (n: number) => `processes ${n} `.repeat(200);
const addRequest = (n: number) => ({
  path: '/api/v0/add',
  method: 'POST',
  headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${contentOf(n)}\r\n--${boundary}--\r\n`,
});
const hashOf = (text: string) => (JSON.parse(text) as { readonly Hash: string }).Hash;

test('every acknowledged add is readable after kill -9 of one process, which is replaced', async () => {
  const load = startLoad({ url: service.url, next: addRequest });
  await until(() => load.answers.length > 20);
  process.kill(serving()[0] ?? 0, 'SIGKILL');
  await until(() => serving().length === 3);
  const { answers, failures } = await load.stop();
  expect(failures.length).toBeLessThanOrEqual(8);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { n, text } of answers.filter((_, index) => index % 10 === 0)) {
    const headers = { authorization, connection: 'close' };
    const cat = await fetch(`${service.url}/api/v0/cat?arg=${hashOf(text)}`, { method: 'POST', headers });
    expect(await cat.text()).toBe(contentOf(n));
  }
});

test('blocks that one process removes are gone at both, though both have read them', async () => {
  const { path, headers, method, body } = addRequest(-1);
  const added = await fetch(`${service.url}${path}`, { method, headers, body });
  const hash = hashOf(await added.text());
  for (const { text } of await sendEach(`block/get?arg=${hash}`)) expect(text).toContain('processes -1');
  const [removed] = await Promise.all(
    [`pin/rm?arg=${hash}`].map((command) =>
      fetch(`${service.url}/api/v0/${command}`, { method: 'POST', headers: { authorization } }),
    ),
  );
  expect(removed?.status).toBe(200);
  const collected = await fetch(`${service.url}/api/v0/repo/gc`, { method: 'POST', headers: { authorization } });
  expect(await collected.text()).toContain('Key');
  for (const { status } of await sendEach(`block/get?arg=${hash}&timeout=1s`)) expect(status).toBe(500);
});

test('SIGUSR2 replaces all processes without a failed add', async () => {
  const load = startLoad({ url: service.url, next: addRequest });
  process.kill(service.processes[0]?.pid ?? 0, 'SIGUSR2');
  await until(() => service.log.includes('all processes are replaced'));
  const { answers, failures } = await load.stop();
  expect([failures, answers.filter(({ status }) => status !== 200)]).toEqual([[], []]);
  expect(await service.processes[0]?.stop()).toBe(0);
});
