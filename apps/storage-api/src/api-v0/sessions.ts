import type { Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { Pinning, WriteSession } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';

/** Opens write sessions for accounts, each with the quota of the account, else of its plan, else of the service. */
@Injectable()
export class Sessions {
  constructor(
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(METERING) private readonly metering: Metering,
  ) {}

  /** Runs `work` in a write session that ends with it; without `hasQuota`, for work that makes an account hold no more. */
  async run<T>(
    { account }: Principal,
    signal: AbortSignal,
    work: (session: WriteSession) => Promise<T>,
    { hasQuota = true } = {},
  ): Promise<T> {
    const { storedBytes } = this.metering.limiter.plan(account.plan);
    const quotaBytes = hasQuota ? (account.quotaBytes ?? storedBytes ?? this.settings.STORAGE_QUOTA_BYTES) : undefined;
    const session = await this.pinning.write(account.id, { signal, ...(quotaBytes !== undefined && { quotaBytes }) });
    try {
      return await work(session);
    } finally {
      await session.end();
    }
  }
}
