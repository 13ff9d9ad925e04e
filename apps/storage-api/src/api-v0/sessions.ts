import type { Principal } from '@cairn/auth';
import type { Pinning, WriteSession } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';

/** Opens write sessions for accounts, each with the quota of the account or else that of the service. */
@Injectable()
export class Sessions {
  constructor(
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Runs `work` in a write session that ends with it; without `hasQuota`, for work that makes an account hold no more. */
  async run<T>(
    { account }: Principal,
    signal: AbortSignal,
    work: (session: WriteSession) => Promise<T>,
    { hasQuota = true } = {},
  ): Promise<T> {
    const quotaBytes = hasQuota ? (account.quotaBytes ?? this.settings.STORAGE_QUOTA_BYTES) : undefined;
    const session = await this.pinning.write(account.id, { signal, ...(quotaBytes !== undefined && { quotaBytes }) });
    try {
      return await work(session);
    } finally {
      await session.end();
    }
  }
}
