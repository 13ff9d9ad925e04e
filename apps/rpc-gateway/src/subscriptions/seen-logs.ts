/** Last log event that a client has seen, within its block. */
export interface SeenLogs {
  readonly logIndex: bigint;
  readonly removed: boolean;
}

/**
 * Reports whether a log of the same block counts as delivered and not removed. Logs of a block are added in ascending order and removed
 * in descending order, so these logs are always the first ones.
 */
export function hasSeen({ logIndex, removed }: SeenLogs, log: unknown): boolean {
  const index = BigInt(String((log as { readonly logIndex: string }).logIndex));
  return removed ? index < logIndex : index <= logIndex;
}
