import type { LogFilter } from '../methods/logs/log-filter.ts';
import type { ChainEvents } from './chain-events.ts';
import { type ChainPosition, positionAfter } from './chain-path.ts';

/** The events that a filter reports. */
export type FilterTopic =
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'blocks' }
  /** `isFull`: transaction objects instead of hashes. */
  | { readonly kind: 'pendingTransactions'; readonly isFull: boolean };

/**
 * Blocks after which a poll ends, and logs and characters of their data after which it ends with the current block. The next poll
 * returns the rest.
 */
const pollLimits = { blocksMax: 1_024, logsMax: 10_000, charactersMax: 32 * 1024 * 1024 } as const;

/** Events since a position, and the position after them. */
export interface NewEvents {
  readonly events: readonly unknown[];
  readonly seen: ChainPosition;
}

/**
 * Reads the events of a filter since its position, with the event loop between the blocks. `undefined` if the position is no
 * longer known.
 */
export async function newEvents(
  chain: ChainEvents,
  {
    topic,
    seen: start,
  }: { readonly topic: Exclude<FilterTopic, { kind: 'pendingTransactions' }>; readonly seen: ChainPosition },
  signal?: AbortSignal,
): Promise<NewEvents | undefined> {
  const events: unknown[] = [];
  let seen = start;
  let characters = 0;
  for (let blocks = 0; blocks < pollLimits.blocksMax; ) {
    const step = await chain.step(seen);
    if (step === undefined) return undefined;
    if (step.length === 0) break;
    for (const change of step) {
      const { header, isRemoved } = change;
      if (topic.kind === 'logs')
        for (const log of await chain.of(topic, change)) {
          events.push(log);
          characters += (log as { readonly data: string }).data.length;
        }
      else if (!isRemoved) events.push(header.hash);
      seen = positionAfter(header, isRemoved);
      if (events.length >= pollLimits.logsMax || characters >= pollLimits.charactersMax) return { events, seen };
    }
    blocks += step.length;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
  return { events, seen };
}
