/** Author and origin of a change. */
export interface Actor {
  /** `operator`, the e-mail address of a member, or the name of a service. */
  readonly who: string;
  /** A command, an IP address or a page. */
  readonly from: string;
}

/** Record of one change of an account, key or member. It contains no secrets and no hashes of secrets. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: Actor;
  /** For example `key.revoke`. */
  readonly action: string;
  readonly accountId: string;
  readonly keyId?: string;
  /** New values of the changed fields. */
  readonly change?: Readonly<Record<string, unknown>>;
  /** Earlier values of the changed fields. Fields that had no value are absent, and all are in entries of earlier versions. */
  readonly before?: Readonly<Record<string, unknown>>;
}

/** Creates the entry of a change from the record before it. */
export type EntryOf<T> = (before: T) => AuditEntry;

/** Returns the entry of a change of `before`. */
export function entryFor<T>(entry: AuditEntry | EntryOf<T>, before: T): AuditEntry {
  return typeof entry === 'function' ? entry(before) : entry;
}
