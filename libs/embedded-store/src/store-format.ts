/** Kind and version of a store. Stamped into new stores and compared at each opening. */
export interface StoreFormat {
  readonly name: string;
  readonly version: number;
  /** Adds checksums and links to records; see `SealedRecords`. Default: none. */
  readonly seals?: SealOptions;
}

export interface SealOptions {
  /** Version without seals. Opening a store of it upgrades it. */
  readonly upgradesFrom?: number;
  /** Databases without seals, whose entries are verified by other means, such as blocks by their hash. */
  readonly except?: readonly string[];
  /** Returns the name of a record in messages, for secret or unreadable keys. Default: the key as text or in hexadecimal. */
  readonly nameKey?: (database: string, key: Uint8Array) => string | undefined;
}

/** Returns the stamp of a format. */
export function stampOf({ name, version }: StoreFormat): string {
  return `${name}/${version}`;
}

/** Reports whether the records of a database have seals. */
export function isSealed({ seals }: StoreFormat, database: string): boolean {
  return seals !== undefined && !(seals.except ?? []).includes(database);
}
