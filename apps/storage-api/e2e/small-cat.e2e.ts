import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask as askRaw, joinedChunks, parseAnswer } from './raw-exchange.ts';
import { basic, Service } from './service.ts';

// A cat of a small file takes the fast path (src/api-v0/read/small-cat.ts). With `Connection: close` it takes the other one.
const service = new Service();
const contents: Readonly<Record<string, string>> = {
  empty: '',
  word: 'hello',
  page: 'x'.repeat(4096),
  longest: 'y'.repeat(65_536),
  long: 'z'.repeat(300_000),
};
const absent = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn';
const cids: Record<string, string> = {};
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0', STORAGE_API_ADMIN_PORT: '0' });
  for (const [name, content] of Object.entries(contents)) {
    for (const [kind, query] of [
      ['dag-pb', ''],
      ['raw', '?cid-version=1'],
    ]) {
      const [line] = await service.add(content, query);
      cids[`${name}, ${kind}`] = line?.Hash ?? '';
    }
  }
});
afterAll(() => service.remove());

const headOf = (path: string, { authorization = basic('ann'), connection = 'keep-alive', more = '' } = {}) =>
  `POST /api/v0/${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\nconnection: ${connection}\r\n${more}content-length: 0\r\n\r\n`;

/** Sends a request, and then one for which the server closes the connection. @returns the response to the first */
const ask = (head: string) => askRaw(service.url, head, headOf('version', { connection: 'close' }));

describe('cat on both paths', () => {
  test.each(Object.keys(contents).flatMap((name) => [`${name}, dag-pb`, `${name}, raw`]))(
    'returns equal responses for a file: %s',
    async (name) => {
      const path = `cat?arg=${cids[name]}`;
      const [fast, full] = [await ask(headOf(path)), await ask(headOf(path, { connection: 'close' }))];
      expect([fast.isFast, full.isFast]).toEqual([!name.startsWith('long,'), false]);
      expect(joinedChunks(fast)).toBe(contents[name.split(',')[0] ?? '']);
      expect([fast.status, joinedChunks(fast)]).toEqual([full.status, joinedChunks(full)]);
      // The other path has no Keep-Alive field when it closes the connection.
      expect({ ...fast.fields, 'keep-alive': '' }).toEqual({ ...full.fields, 'keep-alive': '' });
    },
  );

  test.each([
    ['a missing block', `cat?arg=${absent}`, {}],
    ['a wrong secret', `cat?arg=${absent}`, { authorization: basic('ann', 'wrong') }],
    ['no credentials', `cat?arg=${absent}`, { authorization: '' }],
    ['a page of another origin', `cat?arg=${absent}`, { more: 'user-agent: Mozilla/5.0\r\n' }],
  ])('returns the same error for %s', async (_, path, options) => {
    const [kept, closed] = [
      await ask(headOf(path, options)),
      await ask(headOf(path, { ...options, connection: 'close' })),
    ];
    expect(kept.isFast).toBe(false);
    expect(kept.status).not.toContain('200');
    expect([kept.status, kept.body]).toEqual([closed.status, closed.body]);
  });
});

test('pipelined requests on one connection are answered in order, also after a long file', async () => {
  const names = ['word, raw', 'long, raw', 'page, dag-pb', 'word, dag-pb'];
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(
    names.map((name) => headOf(`cat?arg=${cids[name]}`)).join('') + headOf('version', { connection: 'close' }),
  );
  let text = '';
  for await (const chunk of socket) text += chunk.toString('latin1');
  const answers = text.split(/(?=HTTP\/1\.1 )/).map(parseAnswer);
  expect(answers.map(({ isFast }) => isFast)).toEqual([true, false, false, false, false]);
  expect(answers.slice(0, 4).map(joinedChunks)).toEqual(names.map((name) => contents[name.split(',')[0] ?? '']));
});

test('requests on the fast path are counted', async () => {
  const before = await service.requestsOf('cat');
  for (let count = 0; count < 3; count++) await ask(headOf(`cat?arg=${cids['word, raw']}`));
  expect((await service.requestsOf('cat')) - before).toBe(3);
});
