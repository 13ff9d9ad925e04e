import { randomUUID } from 'node:crypto';
import { CairnError } from '@cairn/errors';

/** Limits of the registry; times in milliseconds. */
export const uploadRegistryLimits = {
  /** Uploads of one account. The oldest is dropped for a new one. */
  ofAccountMax: 256,
  /** Uploads of all accounts. */
  allMax: 10_000,
  /** Time from the last change of an upload until it is dropped. */
  keptMs: 15 * 60_000,
} as const;

/** State of an upload, as the pages read it. */
export type UploadState =
  | { readonly state: 'announced' }
  | { readonly state: 'receiving'; readonly bytes: number }
  | { readonly state: 'stored'; readonly cid: string; readonly name: string }
  | { readonly state: 'refused'; readonly status: number; readonly error: object };

interface Upload {
  readonly accountId: string;
  state: UploadState;
  changedAt: number;
}

/**
 * State of uploads in memory. A browser reads no answer while it sends, and loses it if the connection is reset, so the page polls
 * this state. After a restart the page only learns that its connection was lost.
 */
export class UploadRegistry {
  readonly #limits: Readonly<Record<keyof typeof uploadRegistryLimits, number>>;
  readonly #now: () => number;
  /** Ordered by announcement. */
  readonly #uploads = new Map<string, Upload>();
  readonly #ofAccounts = new Map<string, Set<string>>();

  /** @param now milliseconds. Default: the monotonic clock */
  constructor(
    limits: Partial<Record<keyof typeof uploadRegistryLimits, number>> = {},
    now: () => number = () => performance.now(),
  ) {
    this.#limits = { ...uploadRegistryLimits, ...limits };
    this.#now = now;
  }

  get size(): number {
    return this.#uploads.size;
  }

  /** Registers an upload of an account and returns its id. */
  announce(accountId: string): string {
    const own = this.#ofAccounts.get(accountId) ?? new Set<string>();
    this.#ofAccounts.set(accountId, own);
    const [oldestOwn] = own;
    if (own.size >= this.#limits.ofAccountMax && oldestOwn !== undefined) this.#forget(oldestOwn);
    this.#forgetOld();
    const id = randomUUID();
    this.#uploads.set(id, { accountId, state: { state: 'announced' }, changedAt: this.#now() });
    own.add(id);
    // Dropping the oldest upload may have removed the account.
    this.#ofAccounts.set(accountId, own);
    return id;
  }

  /** @throws UPLOAD_NOT_FOUND, also for an upload of another account */
  get(accountId: string, id: string): UploadState {
    const upload = this.#uploads.get(id);
    if (upload?.accountId === accountId) return upload.state;
    throw new CairnError('UPLOAD_NOT_FOUND', `The upload ${JSON.stringify(id.slice(0, 64))} is not known.`, {
      hint: 'Announce it again.',
    });
  }

  /** Sets the state of an upload of the account. Has no effect for an unknown id. */
  set(accountId: string, id: string | undefined, state: UploadState): void {
    const upload = id === undefined ? undefined : this.#uploads.get(id);
    if (upload?.accountId !== accountId) return;
    upload.state = state;
    upload.changedAt = this.#now();
  }

  #forgetOld(): void {
    const before = this.#now() - this.#limits.keptMs;
    for (const [id, { changedAt }] of this.#uploads) {
      if (changedAt > before && this.#uploads.size < this.#limits.allMax) return;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return;
    this.#uploads.delete(id);
    const own = this.#ofAccounts.get(upload.accountId);
    own?.delete(id);
    if (own?.size === 0) this.#ofAccounts.delete(upload.accountId);
  }
}
