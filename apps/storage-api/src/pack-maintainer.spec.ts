import { expect, test } from '@jest/globals';
import { PackMaintainer, type Packs } from './pack-maintainer.ts';

function maintainerOf(fails = false) {
  const calls: string[] = [];
  const log: string[] = [];
  const call =
    <T>(name: string, report: T) =>
    async () => {
      calls.push(name);
      if (fails) throw new Error('bucket away');
      return report;
    };
  const packs: Packs = {
    rewrite: call('rewrite', { packs: 0, blocks: 0, corrupt: 0 }),
    deleteRetired: call('deleteRetired', { packs: 0, bytes: 0 }),
    deleteOrphans: call('deleteOrphans', { objects: 1, deleted: 0, missing: ['packs/lost.car'] }),
    scrub: call('scrub', { blocks: 0, bytes: 0, corrupt: 0 }),
    scrubUnderLease: call('scrubUnderLease', { blocks: 0, bytes: 0, corrupt: 0 }),
    liveKeys: async function* () {},
    reindex: call('reindex', { packs: 0, indexed: 0, unreadable: [] }),
  };
  const note = (_: unknown, text?: string) => void log.push(String(text));
  return { maintainer: new PackMaintainer(packs, { info: note, error: note } as never), calls, log };
}

test('a run rewrites, deletes retired packs, and compares the bucket once a day', async () => {
  const { maintainer, calls, log } = maintainerOf();
  const { signal } = new AbortController();
  await maintainer.run(signal);
  await maintainer.run(signal);
  expect(calls).toEqual(['rewrite', 'deleteRetired', 'deleteOrphans', 'rewrite', 'deleteRetired']);
  expect(log).toContain('packs with live blocks are not in the bucket');
});

test('a failure is logged, and does not fail the collection', async () => {
  const { maintainer, log } = maintainerOf(true);
  await maintainer.run(new AbortController().signal);
  expect(log).toEqual(['maintenance of packs failed']);
});
