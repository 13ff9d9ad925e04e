export interface LoadRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}
export interface LoadAnswer {
  readonly n: number;
  readonly status: number;
  readonly text: string;
}
export interface LoadFailure {
  readonly n: number;
  readonly code: string;
}
export interface LoadResult {
  readonly answers: readonly LoadAnswer[];
  readonly failures: readonly LoadFailure[];
}
export function startLoad(options: {
  readonly url: string;
  readonly connections?: number;
  /** Milliseconds between a response and the next request of a connection. Default: 0. */
  readonly pauseMs?: number;
  readonly next: (n: number) => LoadRequest;
}): LoadResult & { stop(): Promise<LoadResult> };
