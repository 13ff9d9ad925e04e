import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keyName } from './damage.ts';
import { rootName } from './ensure-format.ts';
import { Environment } from './environment.ts';
import { StoreError } from './errors.ts';
import { PageFile } from './pages/page-file.ts';
import { type FoundRecord, PageSalvage } from './pages/salvage-pages.ts';
import { payloadOf, RecordSeal } from './record-seal.ts';
import { isSealed, type StoreFormat } from './store-format.ts';

export interface SalvageOptions {
  /** Directory of the damaged store. No process may have it open. */
  readonly from: string;
  /** Directory of the new store. Must not exist. */
  readonly to: string;
  readonly format: StoreFormat;
  /** Selects the records to copy; records that are derived from others need no copy. Default: all. */
  readonly shouldCopy?: (database: string, key: Uint8Array) => boolean;
}

export interface SalvageReport {
  /** Number of copied records. */
  readonly records: number;
  /** Names of damaged records and unreadable pages. */
  readonly lost: readonly string[];
}

const recordsPerWrite = 512;
const bytesPerWrite = 4 * 1024 * 1024;

/**
 * Copies every intact record of a damaged store into a new one. The checksum of a record proves that it is intact, regardless of the
 * pages around it. The damaged store is not changed.
 * @throws STORE_CORRUPT if neither meta page can be read; STORE_UNAVAILABLE, STORE_FULL
 */
export async function salvageEnvironment({
  from,
  to,
  format,
  shouldCopy = () => true,
}: SalvageOptions): Promise<SalvageReport> {
  if (existsSync(to))
    throw new StoreError('STORE_UNAVAILABLE', `${to} already exists.`, {
      hint: 'Choose a directory that does not exist.',
      details: { directory: to },
    });
  const file = new PageFile(join(from, 'data.mdb'));
  try {
    const environment = await Environment.open({ directory: to, format });
    try {
      return await new Salvage(environment, format, shouldCopy).copy(new PageSalvage(file, file.salvageMeta(from)));
    } finally {
      await environment.close();
    }
  } finally {
    file.close();
  }
}

class Salvage {
  readonly #environment: Environment;
  readonly #format: StoreFormat;
  readonly #shouldCopy: (database: string, key: Uint8Array) => boolean;
  readonly #seals = new Map<string, RecordSeal>();
  readonly #lost: string[] = [];
  #batch: { readonly database: string; readonly key: Buffer; readonly value: Uint8Array }[] = [];
  #batchBytes = 0;
  #records = 0;

  constructor(
    environment: Environment,
    format: StoreFormat,
    shouldCopy: (database: string, key: Uint8Array) => boolean,
  ) {
    this.#environment = environment;
    this.#format = format;
    this.#shouldCopy = shouldCopy;
  }

  async copy(pages: PageSalvage): Promise<SalvageReport> {
    for (const found of pages.records()) {
      const record = this.#intact(found, pages.databases);
      if (record === undefined || !this.#shouldCopy(record.database, record.key)) continue;
      this.#batch.push(record);
      this.#batchBytes += record.value.length;
      if (this.#batch.length >= recordsPerWrite || this.#batchBytes >= bytesPerWrite) await this.#write();
    }
    await this.#write();
    return { records: this.#records, lost: [...this.#lost, ...pages.lost] };
  }

  #intact({ database, key, value }: FoundRecord, databases: ReadonlySet<string>) {
    if (database === rootName) return undefined;
    if (database !== undefined && !isSealed(this.#format, database)) return { database, key, value };
    // The checksum includes the database name, so it identifies the database of a record on an orphaned page.
    for (const name of database === undefined ? databases : [database])
      if (this.#sealOf(name).isIntact(key, value)) return { database: name, key, value: payloadOf(value) };
    if (database !== undefined)
      this.#lost.push(`record ${keyName(this.#format, database, key)} of database "${database}"`);
    return undefined;
  }

  #sealOf(database: string): RecordSeal {
    const known = this.#seals.get(database) ?? new RecordSeal(database);
    this.#seals.set(database, known);
    return known;
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    for (const { database } of batch) this.#environment.database(database);
    await this.#environment.transaction(() => {
      for (const { database, key, value } of batch) this.#environment.database(database).put(key, value);
    });
    this.#records += batch.length;
  }
}
