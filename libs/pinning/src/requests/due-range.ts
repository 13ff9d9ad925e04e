/** Selects due requests or events. */
export interface DueRange {
  /** Account before the first one. Absent: all accounts. */
  readonly after?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Ids that are skipped. */
  readonly except: ReadonlySet<string>;
  readonly exceptAccounts: ReadonlySet<string>;
}
