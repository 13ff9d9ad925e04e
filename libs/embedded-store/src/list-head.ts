import { linkOf, RecordSeal } from './record-seal.ts';
import type { LmdbTable } from './records.ts';
import { type DamageError, type ListHead } from './sealed-records.ts';

const noBytes = new Uint8Array(0);
const seal = new RecordSeal('heads');

/** Returns the key of the list head of a database in the root database. */
function headKey(database: string): Buffer {
  return Buffer.from(`head ${database}`);
}

/** Creates access to the list head of a database, which is a record of the root database. */
export function listHead(root: LmdbTable, database: string, damage: DamageError): ListHead {
  const key = headKey(database);
  return {
    read: () => {
      const stored = root.getBinary(key);
      if (stored === undefined) return undefined;
      if (!seal.isIntact(key, stored)) throw damage('the link to its first key is damaged');
      return linkOf(stored);
    },
    write: (link) => void root.putSync(key, seal.close(key, link, noBytes)),
  };
}
