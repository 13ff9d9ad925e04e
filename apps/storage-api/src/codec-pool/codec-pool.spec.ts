import { encodeDag } from '@cairn/dag';
import { afterEach, expect, test } from '@jest/globals';
import { type CodecJob, runCodecJob } from './codec-job.ts';
import { CodecPool } from './codec-pool.ts';

const threadUrl = new URL('../../dist/compiled/codec-pool/codec-thread.js', import.meta.url);
let pool = new CodecPool({ threadUrl });
afterEach(() => pool.close());
const { signal } = new AbortController();
const put = (text: string): CodecJob => ({
  kind: 'transcode',
  bytes: Buffer.from(text),
  from: 'dag-json',
  to: 'dag-cbor',
});
const list = (length: number) => `[${Array(length).fill('1').join(',')}]`;
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => Object(error).code ?? Object(error).status,
  );

test('a long block gives the same bytes and errors as a short one', async () => {
  pool = new CodecPool({ threadUrl });
  const run = (job: CodecJob) => pool.run(job, { account: 'ann', signal });
  expect(await run(put(list(10_000)))).toEqual(Uint8Array.from(runCodecJob(put(list(10_000)))));
  const bytes = encodeDag('dag-cbor', { a: Array(10_000).fill(1) });
  const extract = { kind: 'extract', bytes, from: 'dag-cbor', block: 'bafy', to: 'dag-json' } as const;
  expect(Buffer.from(await run({ ...extract, names: ['a', '7'] })).toString()).toBe('1');
  const bad: CodecJob[] = [
    put(`${list(10_000)}x`),
    { ...put(list(10_000)), to: 'dag-pb' } as CodecJob,
    { ...extract, names: ['b'] },
  ];
  for (const job of bad) {
    const error: unknown = await run(job).catch((reason: unknown) => reason);
    expect(() => runCodecJob(job)).toThrow(Object(error).message);
  }
});

test('a job ends with its client and with its time limit, and the next one runs', async () => {
  pool = new CodecPool({ threadUrl });
  const client = new AbortController();
  const [first, second] = [300_000, 3000].map((length, index) =>
    pool.run(put(list(length)), { account: `${index}`, signal: index === 0 ? client.signal : signal }),
  );
  client.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect((await second)?.length).toBe(3003);
  await pool.close();
  pool = new CodecPool({ threadUrl, jobMs: 1 });
  expect(await code(pool.run(put(list(300_000)), { account: 'ann', signal }))).toBe(400);
});

test('waiting accounts take turns, and one account has a bounded number of jobs', async () => {
  pool = new CodecPool({ threadUrl });
  const ends: string[] = [];
  const jobs = ['ann', 'ann', 'ann', 'ann', 'bob'].map((account) =>
    pool.run(put(list(5000)), { account, signal }).then(() => ends.push(account)),
  );
  await Promise.all(jobs);
  expect(ends.indexOf('bob')).toBeLessThan(3);
  const many = Array.from({ length: 40 }, () => code(pool.run(put(list(5000)), { account: 'ann', signal })));
  expect((await Promise.all(many)).filter((one) => one === 503).length).toBe(40 - 33);
});
