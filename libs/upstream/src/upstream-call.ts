import type { HistoryNeed } from './capabilities.ts';
import type { FailureKind } from './errors.ts';

/** A read that any upstream may answer. */
export interface UpstreamCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * Verifies and parses the untrusted result. Must throw {@link answerInvalid} for a result that contradicts its proof, and
   * {@link notYetKnown} for a block that the node may not have yet.
   */
  readonly parse: (result: unknown) => T | Promise<T>;
  /** Historical data that the call reads. Routes it to upstreams that still have the data. */
  readonly need?: HistoryNeed;
  /**
   * The block or transaction may not exist. An upstream whose `parse` throws {@link notYetKnown} is not asked again. When
   * no upstream remains, the request fails with UPSTREAM_NOT_FOUND. Default: the pool retries within the deadline.
   */
  readonly mayBeAbsent?: boolean;
  /** Names of upstreams that are used last, for example since they serve another branch. */
  readonly avoid?: ReadonlySet<string>;
  /** Concurrent calls with this key share one request and its parsed result. They must have the same `parse`. */
  readonly shareAs?: string;
}

/** A verified answer. */
export interface UpstreamAnswer<T> {
  readonly value: T;
  /** Host and port of the upstream. */
  readonly upstream: string;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Deadline over all attempts, in milliseconds. */
  readonly deadlineMs?: number;
}

/** Event for logs and metrics. Holds no credentials. */
export type UpstreamEvent =
  | {
      /** A wrong answer: the upstream is not used for `ms` milliseconds. */
      readonly type: 'isolated';
      readonly upstream: string;
      readonly method: string;
      readonly reason: string;
      readonly ms: number;
      /** JSON text of parameters and result, cut at `evidenceCharactersMax`. */
      readonly evidence: { readonly params: string; readonly result: string };
    }
  | { readonly type: 'opened' | 'closed'; readonly upstream: string; readonly reason?: string }
  | { readonly type: 'limited'; readonly upstream: string; readonly ms: number }
  | { readonly type: 'unsupported'; readonly upstream: string; readonly method: string }
  | {
      readonly type: 'attempt';
      readonly upstream: string;
      readonly outcome: 'answered' | FailureKind;
      readonly ms: number;
    }
  | { readonly type: 'hedged'; readonly upstream: string };

/** Head block as one upstream names it. Unverified. */
export interface UpstreamHead {
  readonly upstream: string;
  readonly number: bigint;
  /** `0x` and 64 digits in lower case. */
  readonly hash: string;
  /** Header object of the upstream. */
  readonly header: Readonly<Record<string, unknown>>;
}

/** State of one upstream, for metrics and health pages. */
export interface UpstreamState {
  readonly name: string;
  readonly height: bigint;
  readonly breaker: 'closed' | 'open' | 'half-open';
  readonly isIsolated: boolean;
  readonly isChainVerified: boolean;
  /** Milliseconds; undefined before enough samples. */
  readonly p95Ms: number | undefined;
  readonly inFlight: number;
}
