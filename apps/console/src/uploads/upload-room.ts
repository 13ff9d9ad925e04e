import { CairnError } from '@cairn/errors';
import { byteText } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { ConsoleSettings } from '../settings.ts';
import { Upstream } from '../upstream.ts';
import { storageRefusal } from './storage-refusal.ts';

/** Refuses uploads that would be refused after their transfer. */
@Injectable()
export class UploadRoom {
  constructor(
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  /**
   * Requires room for an upload of an account.
   * @param reserved bytes of other uploads of the account that are in transit
   * @throws UPLOAD_TOO_LONG, QUOTA_EXCEEDED, CARD_REQUIRED and other refusals of the storage API
   */
  async require(
    accountId: string,
    {
      name,
      bytes,
      ignoresQuota = false,
      reserved = 0,
    }: {
      readonly name: string;
      readonly bytes: number;
      /** Skips the quota check. Content that is stored already takes no room. */
      readonly ignoresQuota?: boolean;
      readonly reserved?: number;
    },
  ): Promise<void> {
    const { CAIRN_UPLOAD_BYTES_MAX: bytesMax } = this.settings;
    if (bytes > bytesMax)
      throw new CairnError(
        'UPLOAD_TOO_LONG',
        `${called(name)} has ${byteText(bytes)}; an upload has ${byteText(bytesMax)} at most.`,
        {
          hint: 'Split it, or ask the operator of this service for a higher limit.',
        },
      );
    const { held, quota } = await this.#room(accountId);
    const left = Math.max(0, quota - held - reserved);
    if (!ignoresQuota && bytes > left)
      throw new CairnError(
        'QUOTA_EXCEEDED',
        `${called(name)} has ${byteText(bytes)}; ${byteText(left)} are left of the quota of ${byteText(quota)}.`,
        {
          hint: 'Unpin files that you do not need, or ask for a higher quota. If the content is stored already, retry.',
        },
      );
  }

  /** Stored bytes and quota of the account. @throws CARD_REQUIRED and other refusals of the storage API */
  async #room(accountId: string): Promise<{ readonly held: number; readonly quota: number }> {
    const answer = await this.upstream.storage(accountId, 'repo/stat?size-only=true', { payer: 'service' });
    const text = await answer.body.text();
    if (answer.status !== 200) throw storageRefusal(answer.status, text, answer.headers);
    const { RepoSize, StorageMax } = JSON.parse(text) as { readonly RepoSize: number; readonly StorageMax: number };
    return { held: RepoSize, quota: StorageMax };
  }
}

function called(name: string): string {
  return name === '' ? 'The upload' : JSON.stringify(name);
}
