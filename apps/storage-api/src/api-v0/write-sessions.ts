import type { Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { Pinning, type WriteSession } from '@cairn/pinning';
import { SETTINGS } from '@cairn/service-kit/nest';
import { engineFailureOf } from '@cairn/stores';
import { Inject, Injectable } from '@nestjs/common';
import { FailedWriteCleaner } from '../failed-write-cleaner.ts';
import type { StorageSettings } from '../settings.ts';
import { ApiError } from './api-error.ts';
import { workOf } from './with-work.ts';
import type { Work } from './work.ts';

interface RunOptions {
  readonly hasQuota?: boolean;
  readonly counted?: Work | undefined;
}

/** Opens write sessions for accounts, each with the quota of the account, else of its plan, else of the service. */
@Injectable()
export class WriteSessions {
  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(FailedWriteCleaner) private readonly failedWrites: FailedWriteCleaner,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(METERING) private readonly metering: Metering,
  ) {}

  /** Quota of an account in bytes; undefined where there is none. */
  quotaOf({ quotaBytes, plan }: Principal['account']): number | undefined {
    return quotaBytes ?? this.metering.limiter.plan(plan).storedBytes ?? this.settings.STORAGE_QUOTA_BYTES;
  }

  /**
   * Runs `work` in a write session that ends with it. Blocks that are neither pinned nor in the tree then count as
   * held by the account after a success, and are removed soon after a failure. `hasQuota` is false for work that
   * does not increase the usage of an account. `counted` counts the blocks; by default the work of the request.
   */
  async run<T>(
    { account }: Principal,
    signal: AbortSignal | undefined,
    work: (session: WriteSession) => Promise<T>,
    { hasQuota = true, counted = workOf(signal) }: RunOptions = {},
  ): Promise<T> {
    const quotaBytes = hasQuota ? this.quotaOf(account) : undefined;
    const session = await this.pinning.write(account.id, {
      ...(signal && { signal }),
      ...(quotaBytes !== undefined && { quotaBytes }),
      onPut: (blocks) => counted?.blocks(blocks.map(({ bytes }) => bytes.length)),
      onVisit: (blocks) => counted?.visits(blocks),
    });
    try {
      const result = await work(session);
      await session.claimUnpinned();
      return result;
    } catch (error) {
      throw session.hasCommitted ? outcomeUnknown(error) : error;
    } finally {
      const { leftovers } = await session.end();
      if (leftovers > 0) this.failedWrites.removeSoon(account.id);
    }
  }
}

/** Replaces a failure that would report with 503 or 507 that nothing was done, after a pin or a tree has changed. */
function outcomeUnknown(error: unknown): unknown {
  const kind = engineFailureOf(error)?.kind;
  if (kind !== 'away' && kind !== 'full') return error;
  return Object.assign(
    new ApiError(
      500,
      'The change was made, and a store did not confirm the rest. Read the state before you repeat it.',
    ),
    { cause: error },
  );
}
