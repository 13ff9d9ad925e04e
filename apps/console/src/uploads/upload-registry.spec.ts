import { expect, test } from '@jest/globals';
import { UploadRegistry } from './upload-registry.ts';

test('the state of an upload is read by its account only', () => {
  const registry = new UploadRegistry();
  const id = registry.announce('a');
  expect(registry.get('a', id)).toEqual({ state: 'announced' });
  registry.set('b', id, { state: 'receiving', bytes: 5 });
  expect(registry.get('a', id)).toEqual({ state: 'announced' });
  registry.set('a', id, { state: 'receiving', bytes: 5 });
  expect(registry.get('a', id)).toEqual({ state: 'receiving', bytes: 5 });
  expect(() => registry.get('b', id)).toThrow(`There is no upload "${id}".`);
});

test('an account keeps its newest uploads, and takes none from others', () => {
  const registry = new UploadRegistry({ ofAccountMax: 2 });
  const other = registry.announce('b');
  const [first = '', second = '', third = ''] = [1, 2, 3].map(() => registry.announce('a'));
  expect(() => registry.get('a', first)).toThrow('There is no upload');
  for (const id of [second, third]) expect(registry.get('a', id)).toEqual({ state: 'announced' });
  expect(registry.get('b', other)).toEqual({ state: 'announced' });
});

test('uploads of all accounts are bounded, and old ones are forgotten', () => {
  let now = 0;
  const registry = new UploadRegistry({ ofAccountMax: 1, allMax: 10, keptMs: 1000 }, () => now);
  for (let account = 0; account < 100; account++) registry.announce(`account ${account}`);
  expect(registry.size).toBe(10);
  now = 2000;
  registry.announce('late');
  expect(registry.size).toBe(1);
});
