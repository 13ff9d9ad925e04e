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
}
