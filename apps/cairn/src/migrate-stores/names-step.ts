import { isCairnError } from '@cairn/errors';
import type { StoredKey, StoredRecord } from '@cairn/ipns';
import { type Digest, differences, digestOf, withBoth } from './compare.ts';
import type { MigrationParts, MigrationStep } from './migration-step.ts';

/** Keys, sequences and records of IPNS names. A record that expires during the migration is not copied. */
export const namesStep: MigrationStep = {
  name: 'names',
  copy: ({ from, to, accountIds }: MigrationParts) =>
    withBoth([from.names, to.names], async (source, target) => {
      const counts = { keys: 0, records: 0 };
      for (const account of accountIds)
        for (const key of await source.keys.list(account)) {
          await target.keys.add(account, key).catch((error: unknown) => {
            // Copied by the run before.
            if (!isCairnError(error, 'IPNS_KEY_EXISTS')) throw error;
          });
          const sequence = await source.records.sequenceOf(account, key.name);
          if (sequence !== undefined) await target.records.raiseSequence(account, key.name, sequence);
          counts.keys++;
        }
      for await (const { name, bytes, account, owner } of source.records.list()) {
        await target.records.put(name, bytes, { account, ...(owner && { owner }) });
        counts.records++;
      }
      return counts;
    }),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.names, to.names], async (source, target) => {
      const problems: string[] = [];
      for (const account of accountIds) {
        const digests = [source, target].map(async ({ keys }) => digestOf((await keys.list(account)).map(keyTexts)));
        const [one, other] = await Promise.all(digests);
        if (one && other) problems.push(...differences(`IPNS keys of ${account}`, one, other));
      }
      const [one, other] = [await recordsOf(source.records.list()), await recordsOf(target.records.list())];
      return [...problems, ...differences('IPNS records', one, other)];
    }),
};

function keyTexts({ label, name, type, sealed }: StoredKey): readonly string[] {
  return [label, name.toString(), type, sealed];
}

function recordsOf(records: AsyncIterable<StoredRecord>): Promise<Digest> {
  const texts = async function* () {
    for await (const { name, bytes, account } of records)
      yield [name.toString(), Buffer.from(bytes).toString('base64'), account];
  };
  return digestOf(texts());
}
