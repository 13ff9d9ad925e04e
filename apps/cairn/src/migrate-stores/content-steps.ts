import type { Pin } from '@cairn/pinning';
import { withBoth } from './compare.ts';
import type { MigrationStep } from './migration-step.ts';

/** Pins of one change. */
const batchPins = 500;

/** Pins with their sums. Garbage below released roots is found by the next collection of the whole store. */
export const pinsStep: MigrationStep = {
  name: 'pins',
  copy: ({ from, to, accountIds }) =>
    withBoth([from.pins, to.pins], async (source, target) => {
      let pins = 0;
      for (const account of accountIds) {
        let batch: Pin[] = [];
        for await (const pin of source.list(account)) {
          batch.push(pin);
          pins++;
          if (batch.length < batchPins) continue;
          await target.put(account, batch);
          batch = [];
        }
        if (batch.length > 0) await target.put(account, batch);
      }
      return { pins };
    }),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.pins, to.pins], async (source, target) => {
      const problems: string[] = [];
      for (const account of accountIds) {
        const [one, other] = [await source.usage(account), await target.usage(account)];
        if (one.pins !== other.pins || one.blocks !== other.blocks || one.bytes !== other.bytes)
          problems.push(
            `pins of ${account}: ${JSON.stringify(one)} in the source, ${JSON.stringify(other)} in the copy`,
          );
      }
      return problems;
    }),
};

/** Roots of file trees. */
export const filesStep: MigrationStep = {
  name: 'file trees',
  copy: ({ from, to, accountIds }) =>
    withBoth([from.files, to.files], async (source, target) => {
      let trees = 0;
      for (const account of accountIds) {
        const root = await source.get(account);
        if (root === undefined) continue;
        const before = await target.get(account);
        if (before === undefined || !before.cid.equals(root.cid)) await target.swap(account, before?.cid, root);
        trees++;
      }
      return { trees };
    }),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.files, to.files], async (source, target) => {
      const problems: string[] = [];
      for (const account of accountIds) {
        const [one, other] = [await source.get(account), await target.get(account)];
        if (String(one?.cid) !== String(other?.cid) || one?.bytes !== other?.bytes)
          problems.push(
            `file tree of ${account}: ${String(one?.cid)} in the source, ${String(other?.cid)} in the copy`,
          );
      }
      return problems;
    }),
};
