import type { AccountStore, CopiedAccounts } from '@cairn/auth';
import type { UsageStore } from '@cairn/metering';
import type { CopiedPinRequests, PinRequestStore } from '@cairn/pinning';
import type { Stores } from '@cairn/stores';

/** Copies of records with their ids and numbers into the target, which ports cannot express. */
export interface RecordCopies {
  accounts(from: AccountStore): Promise<CopiedAccounts>;
  pinRequests(from: PinRequestStore, accountIds: readonly string[]): Promise<CopiedPinRequests>;
  /** Returns the number of rows. */
  usage(from: UsageStore, accountId: string): Promise<number>;
}

/** Parts of a running migration. */
export interface MigrationParts {
  readonly from: Stores;
  readonly to: Stores;
  readonly copies: RecordCopies;
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
