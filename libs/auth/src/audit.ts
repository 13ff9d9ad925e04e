/** Who changes something, and from where. */
export interface Actor {
  /** `operator`, a member of an account, a service. */
  readonly who: string;
  /** A command, an IP address, a page. */
  readonly from: string;
}

/** One change of an account or a key. Neither keys' secrets nor their hashes are in it. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: Actor;
  /** For example `key.revoke`. */
  readonly action: string;
  readonly accountId: string;
  readonly keyId?: string;
  /** What it was changed to. */
  readonly change?: Readonly<Record<string, unknown>>;
}
