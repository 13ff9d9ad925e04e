import { StoreError } from './errors.ts';
import { databaseNames } from './pages/database-names.ts';
import type { LmdbTable } from './records.ts';
import { sealBatch } from './seal-batch.ts';
import { isSealed, type StoreFormat, stampOf } from './store-format.ts';

const formatKey = Buffer.from('format');
/** Key of the position of a running upgrade. */
const positionKey = Buffer.from('sealing');

/** A store that is being opened. */
export interface StoreToOpen {
  readonly root: LmdbTable;
  readonly directory: string;
  readonly format: StoreFormat;
  readonly isReadOnly: boolean;
  readonly open: (database: string) => LmdbTable;
  readonly transaction: <T>(action: () => T) => Promise<T>;
}

/** Stamps a new store, upgrades an older one, and refuses another format. @throws STORE_VERSION_UNSUPPORTED, STORE_UNAVAILABLE */
export async function ensureFormat(store: StoreToOpen): Promise<void> {
  const { root, format, isReadOnly, transaction } = store;
  const wanted = stampOf(format);
  const read = () => root.getBinary(formatKey)?.toString();
  let found = read();
  if (found === undefined && !isReadOnly) {
    // Read again inside the transaction, since another process may be creating the same store.
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

/** Stamp of a store with a running upgrade. Older versions refuse it; this version resumes the upgrade. */
function sealingStamp(format: StoreFormat): string {
  return `${stampOf(format)} sealing`;
}

/** Seals all records in transactions of bounded size. Several processes may run it concurrently. A killed upgrade resumes. */
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

/** Position of an upgrade: the sealed databases, and the next key of the current one. */
interface SealPosition {
  readonly done: readonly string[];
  readonly next?: string;
}

function readPosition(root: LmdbTable): SealPosition | undefined {
  const found = root.getBinary(positionKey);
  return found && (JSON.parse(found.toString()) as SealPosition);
}

/** Name of the root database, which contains the stamp and the list heads. */
export const rootName = 'cairn';

function refusal({ directory, format }: StoreToOpen, found: string | undefined, wanted: string): StoreError {
  const details = { directory, wanted, ...(found !== undefined && { found }) };
  if (found === undefined) {
    return new StoreError('STORE_UNAVAILABLE', `The store in ${directory} is empty.`, {
      hint: 'Start a service or an import that writes it first.',
      details,
    });
  }
  return new StoreError('STORE_VERSION_UNSUPPORTED', `The store in ${directory} is "${found}", not "${wanted}".`, {
    hint: isUpgradable(format, found)
      ? 'Open it for writing once to upgrade it: start a service.'
      : 'Use the version of Cairn that wrote it, or another directory.',
    details,
  });
}
