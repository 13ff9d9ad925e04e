import { expect, test } from '@jest/globals';
import { UploadRegistry } from './upload-registry.ts';

test('get refuses the upload of another account', () => {
  const registry = new UploadRegistry();
  const id = registry.announce('a');
  expect(registry.get('a', id)).toEqual({ state: 'announced' });
  registry.set('b', id, { state: 'receiving', bytes: 5 });
  expect(registry.get('a', id)).toEqual({ state: 'announced' });
  registry.set('a', id, { state: 'receiving', bytes: 5 });
  expect(registry.get('a', id)).toEqual({ state: 'receiving', bytes: 5 });
  expect(() => registry.get('b', id)).toThrow(`The upload "${id}" is not known.`);
});

test('an account keeps its newest uploads and evicts none of other accounts', () => {
  const registry = new UploadRegistry({ ofAccountMax: 2 });
  const other = registry.announce('b');
  const [first = '', second = '', third = ''] = [1, 2, 3].map(() => registry.announce('a'));
  expect(() => registry.get('a', first)).toThrow('is not known');
  for (const id of [second, third]) expect(registry.get('a', id)).toEqual({ state: 'announced' });
  expect(registry.get('b', other)).toEqual({ state: 'announced' });
});

test('the registry is bounded over all accounts and drops old uploads', () => {
  let now = 0;
  const registry = new UploadRegistry({ ofAccountMax: 1, allMax: 10, keptMs: 1000 }, () => now);
  for (let account = 0; account < 100; account++) registry.announce(`account ${account}`);
  expect(registry.size).toBe(10);
  now = 2000;
  registry.announce('late');
  expect(registry.size).toBe(1);
});
