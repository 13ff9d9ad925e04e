import type { AnnounceRecord, Announcer } from './content-router.ts';
import { regionOf } from './keyspace.ts';

/**
 * Announces by several routing systems. A record counts as announced if one of them has it. A system that cannot be reached
 * is left out.
 */
export function combineAnnouncers(announcers: readonly Announcer[]): Announcer {
  return {
    async openRegion(record, options) {
      const results = await Promise.allSettled(announcers.map((announcer) => announcer.openRegion(record, options)));
      const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const failed = results.find((result) => result.status === 'rejected');
      if (opened.length === 0) throw failed?.reason ?? new Error('There is no announcer.');
      const bits = Math.max(...opened.map(({ region }) => region.bits));
      return {
        region: regionOf(record.key, bits),
        async announce(records: readonly AnnounceRecord[], announceOptions) {
          const outcomes = await Promise.allSettled(opened.map((region) => region.announce(records, announceOptions)));
          const lists = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
          return records.map((_, at) => lists.some((list) => list[at] === true));
        },
      };
    },
  };
}
