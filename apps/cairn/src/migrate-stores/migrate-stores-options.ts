import type { StoreSettings } from '@cairn/stores';

/** Settings of one side: those of a database and a bucket, or of a home alone. */
export type MigrationSide = Pick<
  StoreSettings,
  | 'CAIRN_HOME'
  | 'CAIRN_DATABASE_URL'
  | 'CAIRN_OBJECT_STORE'
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
>;

export interface MigrateStoresOptions {
  readonly from: MigrationSide;
  readonly to: MigrationSide;
  /** Secrets keys as text, or their file. Default: `secrets.key` in the home. */
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly onStep: (line: string) => void;
}
