import { expect, test } from '@jest/globals';
import { createSharedKey } from './shared-key.ts';

test('processes of a service get one key, those of another service or start another one', async () => {
  const groupOf = (functions: ReturnType<ReturnType<typeof createSharedKey>['functions']>) => ({
    call: async (name: string) => functions[name]?.(),
  });
  const shared = createSharedKey('a key');
  const group = groupOf(shared.functions());
  const key = await shared.of(group);
  expect(key).toHaveLength(32);
  expect(await shared.of(group)).toEqual(key);
  expect(await shared.of(groupOf(shared.functions()))).not.toEqual(key);
  expect(await createSharedKey('another key').of(group)).toBeUndefined();
});
