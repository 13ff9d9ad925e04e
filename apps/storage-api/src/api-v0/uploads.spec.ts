import { loadSettings } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { settingsShape } from '../settings.ts';
import { Uploads } from './uploads.ts';

/** Permits of a service, and uploads that end on request. */
function open(most: number) {
  const uploads = new Uploads({ ...loadSettings(settingsShape, { env: {} }), CAIRN_UPLOADS_MAX: most });
  const ends: (() => void)[] = [];
  const begin = (account: string) => uploads.run(account, () => new Promise<void>((resolve) => ends.push(resolve)));
  /** Starts uploads until one is refused. Returns how many started, with the refusal. */
  const fill = async (account: string) => {
    const refusals: unknown[] = [];
    let count = 0;
    for (; count <= most && refusals.length === 0; count++) {
      begin(account).catch((error: unknown) => refusals.push(error));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { count: count - refusals.length, refusal: refusals[0] };
  };
  return { uploads, ends, fill };
}

test('an account takes at most as many upload permits as stay free', async () => {
  const { uploads, ends, fill } = open(64);
  expect(await fill('a')).toMatchObject({ count: 32, refusal: { status: 429, headers: { 'retry-after': '1' } } });
  expect(await fill('b')).toMatchObject({ count: 16 });
  expect(await fill('c')).toMatchObject({ count: 8 });
  expect(await fill('a')).toMatchObject({ count: 0 });
  expect(uploads.running).toBe(56);
  for (const end of ends) end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(uploads.running).toBe(0);
  expect(await fill('a')).toMatchObject({ count: 32 });
});

test('a service with one permit gives it to any account', async () => {
  const { fill } = open(1);
  expect(await fill('a')).toMatchObject({ count: 1 });
  expect(await fill('b')).toMatchObject({ count: 0 });
});
