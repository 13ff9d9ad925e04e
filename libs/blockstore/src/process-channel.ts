import { CID } from '@cairn/cid';

/** Messages between the processes of a service that open the same store. */
export interface ProcessChannel {
  /** Processes of the service. */
  readonly count: number;
  /** Resolves when the other processes have handled the value, or when they do not answer. */
  inform(topic: string, value: unknown): Promise<void>;
  subscribe(topic: string, listener: (value: unknown) => unknown): void;
}

const topics = { removed: 'removed blocks', holds: 'holds of blocks' } as const;

/** Stores of the other processes, as a store calls them. */
export interface SiblingStores {
  /** Resolves when the caches of the other processes have dropped these blocks. */
  dropRemoved(cids: readonly CID[]): Promise<void>;
  /** Resolves when the other processes have published which blocks their requests use now. */
  publishHolds(): Promise<void>;
}

/**
 * Connects a store with those of the other processes; `undefined` for a service of one process.
 * @param own the same for this process, called by the others
 */
export function siblingStores(
  channel: ProcessChannel | undefined,
  own: { readonly dropRemoved: (cids: readonly CID[]) => void; readonly publishHolds: () => Promise<void> },
): SiblingStores | undefined {
  if (channel === undefined || channel.count === 1) return undefined;
  channel.subscribe(topics.removed, (removed) =>
    own.dropRemoved((removed as Uint8Array[]).map((bytes) => CID.decode(bytes))),
  );
  channel.subscribe(topics.holds, () => own.publishHolds());
  return {
    dropRemoved: (cids) =>
      channel.inform(
        topics.removed,
        cids.map(({ bytes }) => bytes),
      ),
    publishHolds: () => channel.inform(topics.holds, undefined),
  };
}
