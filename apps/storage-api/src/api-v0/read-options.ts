import type { ResolveOptions } from '@cairn/dag';
import type { DeniedContent } from '../denied-content.ts';
import type { RequestNetwork } from '../network/request-network.ts';
import type { Work } from './work.ts';

/** Options of all reads of one request. */
export interface RequestReadOptions {
  /** Milliseconds that a read waits for a missing block. */
  readonly waitMs: number;
  /** Counts the blocks that are read. */
  readonly work: Work;
  /** Follows a path through long blocks in the codec thread. */
  readonly follow: ResolveOptions['follow'];
  /** Reads from other nodes. Absent for requests that never leave the machine. */
  readonly network?: RequestNetwork | undefined;
  /** Resolves a path under /ipns/ for the account of the request. Absent: such paths are refused. */
  readonly resolveName?: ResolveOptions['resolveName'];
  /** Refuses denied content. Absent for requests that return no content, and for work outside of requests. */
  readonly denied?: DeniedContent | undefined;
}

// The libs pass the signal of a request to each read and nothing else, so it is the key to the other options.
const optionsBySignal = new WeakMap<AbortSignal, RequestReadOptions>();

/** Sets the read options of the request that a signal ends. */
export function setReadOptions(signal: AbortSignal, options: RequestReadOptions): void {
  optionsBySignal.set(signal, options);
}

/** Gives the reads with a signal the options of a request. */
export function inheritReadOptions(
  signal: AbortSignal,
  from: AbortSignal,
  change: Partial<RequestReadOptions> = {},
): void {
  const options = optionsBySignal.get(from);
  if (options !== undefined && !optionsBySignal.has(signal)) optionsBySignal.set(signal, { ...options, ...change });
}

/** Returns the read options of a request; `undefined` for reads outside of requests. */
export function readOptionsOf(signal: AbortSignal | undefined): RequestReadOptions | undefined {
  return signal && optionsBySignal.get(signal);
}

/** Milliseconds that reads may wait: none with `offline`, else the timeout of the request, else that of the service. */
export function waitMsOf({
  defaultMs,
  timeoutMs,
  isOffline,
}: {
  readonly defaultMs: number;
  readonly timeoutMs: number | undefined;
  readonly isOffline: boolean;
}): number {
  if (isOffline) return 0;
  // Longer than the timeout of the request, so that the timeout error is the one reported.
  return timeoutMs === undefined ? defaultMs : 2 * timeoutMs;
}
