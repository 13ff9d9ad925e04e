/** Outcome of an upload. */
export interface StoredUpload {
  readonly cid: string;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Skips the quota check. Content that is stored already takes no room. */
  readonly ignoresQuota: boolean;
  /** Called with the number of bytes sent. */
  readonly onProgress: (sent: number) => void;
}
