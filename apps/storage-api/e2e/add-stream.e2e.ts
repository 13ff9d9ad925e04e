import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { basic, Service } from './service.ts';

const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
});
afterAll(() => service.remove());

const boundary = 'b';
const part = (name: string, text: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n`;

/** An add whose body stays open. */
function openAdd(query = '', agent?: Agent): ClientRequest {
  return request(`${service.url}/api/v0/add${query}`, {
    method: 'POST',
    ...(agent && { agent }),
    headers: { authorization: basic('ann'), 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

async function* linesOf(answer: AsyncIterable<Buffer>): AsyncGenerator<{ Name: string; Hash: string }> {
  let text = '';
  for await (const chunk of answer) {
    text += chunk.toString();
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n')) {
      yield JSON.parse(text.slice(0, at));
      text = text.slice(at + 1);
    }
  }
}

test('add reports each root while the body is open, when it is pinned and on the disk', async () => {
  const upload = openAdd();
  const answered = once(upload, 'response');
  upload.write(part('a', 'first') + part('b', 'second').slice(0, 30));
  const [answer] = await answered;
  const lines = linesOf(answer);
  const first = (await lines.next()).value;
  expect(first).toMatchObject({ Name: 'a' });
  const pins = await (await service.post(`pin/ls?arg=${first?.Hash}`)).json();
  expect(pins).toMatchObject({ Keys: { [`${first?.Hash}`]: { Type: 'recursive' } } });
  upload.write(part('b', 'second').slice(30) + part('d/c', 'third'));
  expect((await lines.next()).value).toMatchObject({ Name: 'b' });
  upload.write(`--${boundary}`);
  upload.write('\r\n');
  expect((await lines.next()).value).toMatchObject({ Name: 'd/c' });
  // The directory is complete when a part outside it begins.
  upload.write(part('e', '').slice(`--${boundary}\r\n`.length));
  expect((await lines.next()).value).toMatchObject({ Name: 'd' });
  upload.end(`--${boundary}--\r\n`);
  expect((await lines.next()).value).toMatchObject({ Name: 'e' });
  expect((await lines.next()).done).toBe(true);
});

test('add reports the entries before a failed one, and the reason in the trailer', async () => {
  const upload = openAdd('?wrap-with-directory=true');
  const answered = once(upload, 'response');
  upload.end(`${part('a', '1')}${part('a', '2')}--${boundary}--\r\n`);
  const [answer] = await answered;
  const seen: string[] = [];
  for await (const { Name } of linesOf(answer)) seen.push(Name);
  expect(answer.statusCode).toBe(200);
  expect(seen).toEqual(['a']);
  expect(answer.trailers['x-stream-error']).toBe('directory already has entry by that name');
});

test.each([
  ['/taken.txt', 'to-files: cannot put node in path "/taken.txt": directory already has entry by that name'],
  ['/no/such/', 'to-files: MFS destination directory "/no/such/" does not exist: file does not exist'],
])('add reports a file that to-files=%s refuses, and the reason in the trailer', async (path, reason) => {
  await service.add('first', '?to-files=/taken.txt').catch(() => {});
  const upload = openAdd(`?to-files=${path}`);
  const answered = once(upload, 'response');
  upload.end(`${part('a', path)}--${boundary}--\r\n`);
  const [answer] = await answered;
  const seen: string[] = [];
  for await (const { Name } of linesOf(answer)) seen.push(Name);
  expect(seen).toEqual(['a']);
  expect(answer.trailers['x-stream-error']).toBe(reason);
});

test('an answered upload frees its permit before its response ends', async () => {
  await service.stop();
  // With two permits an account has one.
  await service.start({ CAIRN_UPLOADS_MAX: '2' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const statuses = new Set<number | undefined>();
    for (let count = 0; count < 200; count++) {
      const upload = openAdd('', agent);
      const answered = once(upload, 'response');
      upload.end(`${part('a', `${count}`)}--${boundary}--\r\n`);
      const [answer] = await answered;
      for await (const _ of answer);
      statuses.add(answer.statusCode);
    }
    expect([...statuses]).toEqual([200]);
  } finally {
    agent.destroy();
  }
});
