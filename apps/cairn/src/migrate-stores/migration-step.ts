import type { Postgres } from '@cairn/postgres';
import type { Stores } from '@cairn/stores';

/** Parts of a running migration. */
export interface MigrationParts {
  readonly from: Stores;
  readonly to: Stores;
  /** The target, for copies that a port cannot express. */
  readonly database: Postgres;
  /** Ids of all accounts of the source, and of the console, which pays for its pages. */
  readonly accountIds: readonly string[];
}

/** Copy of one kind of records. It can be repeated. */
export interface MigrationStep {
  readonly name: string;
  /** Copies, and returns numbers of copied records. */
  copy(parts: MigrationParts): Promise<Readonly<Record<string, number>>>;
  /** Compares counts and sums of both sides. Returns the differences. */
  compare(parts: MigrationParts): Promise<readonly string[]>;
}
