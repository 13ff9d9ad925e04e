import type { Lie } from './lies.mjs';

export interface LyingProxy {
  lie: Lie | undefined;
  /** Number of answers that the lie changed. */
  readonly lied: number;
  readonly requests: number;
  readonly methods: readonly string[];
  readonly url: string;
  readonly webSocketUrl: string;
  stop(): Promise<void>;
}

export declare function startLyingProxy(options: {
  readonly upstream: string | ((method: string, params: readonly unknown[]) => unknown);
  readonly lie?: Lie | undefined;
  /** Added to each answer. */
  readonly delayMs?: number;
}): Promise<LyingProxy>;

export declare function startHonestProxy(options: {
  readonly upstream: string;
  /** Added to each answer. */
  readonly delayMs?: number;
}): Promise<{ readonly url: string; stop(): Promise<unknown> }>;
