import { StoreError } from './errors.ts';
import { databaseNames } from './pages/database-names.ts';
import type { LmdbTable } from './records.ts';
import { sealBatch } from './seal-batch.ts';
import { isSealed, type StoreFormat, stampOf } from './store-format.ts';

const formatKey = Buffer.from('format');
/** Position of an upgrade that is under way. */
const positionKey = Buffer.from('sealing');

/** A store whose stamp is compared and, where it is of an earlier version, brought up to date. */
export interface StoreToOpen {
  readonly root: LmdbTable;
  readonly directory: string;
  readonly format: StoreFormat;
  readonly isReadOnly: boolean;
  readonly open: (database: string) => LmdbTable;
  readonly transaction: <T>(action: () => T) => Promise<T>;
}

/** Stamps a new store, upgrades an older one, refuses another. @throws STORE_VERSION_UNSUPPORTED, STORE_UNAVAILABLE */
export async function ensureFormat(store: StoreToOpen): Promise<void> {
  const { root, format, isReadOnly, transaction } = store;
  const wanted = stampOf(format);
  const read = () => root.getBinary(formatKey)?.toString();
  let found = read();
  if (found === undefined && !isReadOnly) {
    // Read once more inside, since another process may be making the same store at this moment.
    await transaction(() => {
      found = read();
      if (found === undefined) root.putSync(formatKey, Buffer.from(wanted));
    });
    found ??= wanted;
  }
  if (found !== undefined && !isReadOnly && isUpgradable(format, found)) {
    await sealAll(store);
    found = read();
  }
  if (found !== wanted) throw refusal(store, found, wanted);
}

function isUpgradable(format: StoreFormat, found: string): boolean {
  const from = format.seals?.upgradesFrom;
  if (from === undefined) return false;
  return found === stampOf({ ...format, version: from }) || found === sealingStamp(format);
}

/** Refuses every version that does not finish an upgrade which a killed process began. */
function sealingStamp(format: StoreFormat): string {
  return `${stampOf(format)} sealing`;
}

/** Seals all records in transactions of bounded size. Several processes may do so together, and after a kill another one resumes. */
async function sealAll({ root, directory, format, open, transaction }: StoreToOpen): Promise<void> {
  const names = databaseNames(directory).filter((name) => name !== rootName && isSealed(format, name));
  const tables = names.map((name) => ({ name, table: open(name) }));
  for (;;) {
    const isDone = await transaction(() => {
      const stamp = root.getBinary(formatKey)?.toString();
      if (stamp === stampOf(format)) return true;
      const position = readPosition(root) ?? { done: [] };
      const current = tables.find(({ name }) => !position.done.includes(name));
      if (current === undefined) {
        root.removeSync(positionKey);
        root.putSync(formatKey, Buffer.from(stampOf(format)));
        return true;
      }
      root.putSync(formatKey, Buffer.from(sealingStamp(format)));
      const start = position.next === undefined ? undefined : Buffer.from(position.next, 'hex');
      const next = sealBatch(root, current.table, current.name, start);
      const moved: SealPosition =
        next === undefined
          ? { done: [...position.done, current.name] }
          : { done: position.done, next: Buffer.from(next).toString('hex') };
      root.putSync(positionKey, Buffer.from(JSON.stringify(moved)));
      return false;
    });
    if (isDone) return;
  }
}

/** Databases that are sealed, and the next key of the one in progress. */
interface SealPosition {
  readonly done: readonly string[];
  readonly next?: string;
}

function readPosition(root: LmdbTable): SealPosition | undefined {
  const found = root.getBinary(positionKey);
  return found && (JSON.parse(found.toString()) as SealPosition);
}

/** Name of the root database, which has the stamp and the heads of lists. */
export const rootName = 'cairn';

function refusal({ directory, format }: StoreToOpen, found: string | undefined, wanted: string): StoreError {
  const details = { directory, wanted, ...(found !== undefined && { found }) };
  if (found === undefined) {
    return new StoreError('STORE_UNAVAILABLE', `The store in ${directory} is empty.`, {
      hint: 'Let a service or an import write it first.',
      details,
    });
  }
  return new StoreError('STORE_VERSION_UNSUPPORTED', `The store in ${directory} is "${found}", not "${wanted}".`, {
    hint: isUpgradable(format, found)
      ? 'Open it once for writing, which upgrades it: start a service.'
      : 'Use the version of Cairn that wrote it, or another directory.',
    details,
  });
}
