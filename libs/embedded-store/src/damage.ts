import { StoreError } from './errors.ts';
import type { StoreFormat } from './store-format.ts';

const nameLengthMax = 160;

/** Location of damage. */
export interface DamagedRecord {
  readonly directory: string;
  readonly format: StoreFormat;
  readonly database: string;
  /** Absent for damage of the whole database. */
  readonly key?: Uint8Array | undefined;
}

/** Creates the error for a damaged record or database. */
export function damageError(damage: string, { directory, format, database, key }: DamagedRecord): StoreError {
  const name = key && keyName(format, database, key);
  const subject = name === undefined ? `Database "${database}"` : `Record ${name} of database "${database}"`;
  return new StoreError('STORE_CORRUPT', `${subject} in ${directory} is damaged: ${damage}.`, {
    hint: 'Stop the services, run `cairn verify`, then restore a backup or follow the guide "Repair a store".',
    details: { directory, database, ...(name !== undefined && { key: name }) },
  });
}

/** Returns a readable name of a key: from the format, as text, or in hexadecimal. */
export function keyName({ seals }: StoreFormat, database: string, key: Uint8Array): string {
  const named = seals?.nameKey?.(database, key);
  if (named !== undefined) return named;
  const text = Buffer.from(key).toString().replaceAll('\0', ' ');
  const name = /^[\x20-\x7e]+$/.test(text) ? JSON.stringify(text) : `0x${Buffer.from(key).toString('hex')}`;
  return name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
}
