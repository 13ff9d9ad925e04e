import { randomUUID } from 'node:crypto';
import { CairnError } from '@cairn/errors';

/** Limits of what is remembered of uploads, in numbers and milliseconds. */
export const uploadRegistryLimits = {
  /** Uploads of one account; the oldest is forgotten for a new one. */
  ofAccountMax: 256,
  /** Uploads of all accounts. */
  allMax: 10_000,
  /** From the last change to the end. */
  keptMs: 15 * 60_000,
} as const;

/** State of an upload, as pages read it. */
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
 * What became of uploads. A browser that still sends reads no answer, and where its connection is reset it may lose the answer: the
 * page asks here. Held in memory: after a restart a page learns only that its connection was lost.
 */
export class UploadRegistry {
  readonly #limits: Readonly<Record<keyof typeof uploadRegistryLimits, number>>;
  readonly #now: () => number;
  /** In the order of their announcement. */
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

  /** Makes room for an upload of an account. Returns its id. */
  announce(accountId: string): string {
    const own = this.#ofAccounts.get(accountId) ?? new Set<string>();
    this.#ofAccounts.set(accountId, own);
    const [oldestOwn] = own;
    if (own.size >= this.#limits.ofAccountMax && oldestOwn !== undefined) this.#forget(oldestOwn);
    this.#forgetOld();
    const id = randomUUID();
    this.#uploads.set(id, { accountId, state: { state: 'announced' }, changedAt: this.#now() });
    own.add(id);
    // The account may have been forgotten with its oldest upload.
    this.#ofAccounts.set(accountId, own);
    return id;
  }

  /** @throws UPLOAD_NOT_FOUND, also for an upload of another account */
  get(accountId: string, id: string): UploadState {
    const upload = this.#uploads.get(id);
    if (upload?.accountId === accountId) return upload.state;
    throw new CairnError('UPLOAD_NOT_FOUND', `There is no upload ${JSON.stringify(id.slice(0, 64))}.`, {
      hint: 'Announce it anew.',
    });
  }

  /** Keeps the state of an upload of the account; without effect where there is none. */
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
