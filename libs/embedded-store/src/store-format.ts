/** Kind and version of a store, stamped into new ones and compared at each opening. */
export interface StoreFormat {
  readonly name: string;
  readonly version: number;
  /** Makes records carry checksums and links; see `SealedRecords`. Default: none. */
  readonly seals?: SealOptions;
}

export interface SealOptions {
  /** Version whose records had no seals. A store of it is upgraded when it is opened. */
  readonly upgradesFrom?: number;
  /** Databases without seals: those whose entries are verified by other means, such as blocks by their hash. */
  readonly except?: readonly string[];
  /** Name of a record in messages, for keys that are secret or not readable. Default: its key as text, or in hexadecimal. */
  readonly nameKey?: (database: string, key: Uint8Array) => string | undefined;
}

/** The stamp of a format. */
export function stampOf({ name, version }: StoreFormat): string {
  return `${name}/${version}`;
}

/** Whether the records of a database carry seals. */
export function isSealed({ seals }: StoreFormat, database: string): boolean {
  return seals !== undefined && !(seals.except ?? []).includes(database);
}
