import type { ProvideStatus } from '@cairn/peer-api';
import { endLines, writeLine } from '../write.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';

const flag = { kind: 'boolean' } as const;
/** Options that the command line prints by. The response always has all fields. */
const options = {
  lan: flag,
  all: { ...flag, alias: 'a' },
  compact: flag,
  connectivity: flag,
  network: flag,
  schedule: flag,
  timings: flag,
  workers: flag,
  operations: flag,
  queues: flag,
} as const;

/** Go's zero time. */
const never = '0001-01-01T00:00:00Z';

/** `provide/stat` and its older names: the state of the announcements of the peer. */
const provideStatAs = (name: string) =>
  definePeerCommand({
    name,
    scope: 'read',
    grant: 'node',
    options,
    args: { name: '', min: 0, max: 0 },
    offline: offlineAnswers.command,
    async run({ peer, response, signal, within }) {
      const status = await within(() => peer.provide.status());
      const connections = await within(() => peer.swarm.peers());
      const sweep = sweepOf(status, {
        isOnline: connections.length > 0 && status.isOnline !== false,
        now: Date.now(),
      });
      await writeLine(response, { Sweep: sweep, Legacy: null, FullRT: false }, signal);
      endLines(response);
    },
  });

export const provideStatCommands = ['provide/stat', 'stats/provide', 'stats/reprovide'].map(provideStatAs);

/** Statistics in the fields of Kubo's sweep provider. Those without a counterpart are zero, which prints as `N/A`. */
function sweepOf(
  { records, waiting, announced, failed, oldestSeconds }: ProvideStatus,
  { isOnline, now }: { readonly isOnline: boolean; readonly now: number },
) {
  return {
    closed: false,
    connectivity: { status: isOnline ? 'online' : 'offline', since: never },
    queues: { pending_key_provides: waiting, pending_region_provides: 0, pending_region_reprovides: 0 },
    schedule: {
      keys: records,
      regions: 0,
      avg_prefix_length: 0,
      next_reprovide_at: never,
      next_reprovide_prefix: '',
    },
    workers: {
      max: 0,
      active: 0,
      active_periodic: 0,
      active_burst: 0,
      dedicated_periodic: 0,
      dedicated_burst: 0,
      queued_periodic: 0,
      queued_burst: 0,
      max_provide_conns_per_worker: 0,
    },
    timing: {
      uptime: 0,
      reprovides_interval: 0,
      // Time of the oldest record.
      cycle_start: oldestSeconds === undefined ? never : new Date(now - oldestSeconds * 1000).toISOString(),
      current_time_offset: 0,
      max_reprovide_delay: 0,
    },
    operations: {
      ongoing: { region_provides: 0, key_provides: 0, region_reprovides: 0, key_reprovides: 0 },
      past: {
        records_provided: announced,
        keys_provided: announced,
        keys_failed: failed,
        keys_provided_per_minute: 0,
        keys_reprovided_per_minute: 0,
        reprovide_duration: 0,
        avg_keys_per_reprovide: 0,
        regions_reprovided_last_cycle: 0,
      },
    },
    network: {
      peers: 0,
      reachable: 0,
      complete_keyspace_coverage: false,
      avg_region_size: 0,
      avg_holders: 0,
      replication_factor: 0,
    },
  };
}
