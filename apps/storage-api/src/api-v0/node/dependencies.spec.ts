import { expect, test } from '@jest/globals';
import { listDependencies } from './dependencies.ts';

test('listDependencies lists the service first, then every package that it runs with', async () => {
  const [own, ...others] = await listDependencies();
  expect(own?.name).toBe('@cairn/storage-api');
  const names = others.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['@cairn/cid', '@cairn/errors', '@nestjs/core', 'lmdb', 'multiformats']),
  );
  expect(names).toEqual([...names].sort());
  expect(names).not.toContain('kubo-rpc-client');
  for (const { version } of others) expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
