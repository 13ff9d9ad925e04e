import { count, duration } from '../../format.ts';

/** Announcements of the IPFS peer. */
export interface RecordCounts {
  readonly records: number;
  /** Records that wait for their first announcement. */
  readonly waiting: number;
  /** Failed announcements since the start. */
  readonly failed: number;
  readonly oldestSeconds?: number;
  readonly isOnline?: boolean;
}

/** Texts about the announced records: how many of all, and their state. Repeated announcements count once. */
export function recordTexts({ records, waiting, failed, oldestSeconds, isOnline }: RecordCounts) {
  const age = oldestSeconds === undefined ? 'none yet' : `oldest ${duration(oldestSeconds)} ago`;
  const outage = isOnline === false ? ', routing cannot be reached' : '';
  return {
    value: `${count(records - waiting)} of ${count(records)}`,
    text: `${count(waiting)} waiting, ${count(failed)} failed, ${age}${outage}`,
  };
}
