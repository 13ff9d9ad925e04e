import { createHash } from 'node:crypto';
import { CairnError } from '@cairn/errors';
import type { LimitRule, LimitStore } from '@cairn/metering';

/** Token bucket of mails to one address: 3, then one more every ten minutes. */
const toAddress = { kind: 'bucket', ratePerSecond: 1 / 600, capacity: 3 } as const satisfies LimitRule;
/** Token bucket of mails that one client causes: 20, then one more every three minutes. */
const byClient = { kind: 'bucket', ratePerSecond: 1 / 180, capacity: 20 } as const satisfies LimitRule;

/**
 * Counts a mail before it is known whether the address has a member, so that the answer does not reveal it.
 * @throws MAILS_PAUSED
 */
export async function countMail(limits: LimitStore, email: string, client: string | undefined): Promise<void> {
  const address = email.trim().toLowerCase();
  // Hashed: an invented e-mail address may be long, and must not be stored in clear.
  const to = createHash('sha256').update(address).digest('hex');
  const one = { min: 1, want: 1 };
  const taken = await limits.take([
    { key: `mail-by\0${client ?? 'unknown'}`, rule: byClient, ...one },
    { key: `mail-to\0${to}`, rule: toAddress, ...one },
  ]);
  const waits = taken.filter(({ granted }) => granted === 0).map(({ retryAfterMs }) => retryAfterMs);
  if (waits.length === 0) return;
  const retryAfterSeconds = Math.ceil(Math.max(...waits) / 1000);
  throw new CairnError('MAILS_PAUSED', 'Too many mails were requested for this address or from this client.', {
    hint: `Look into the mailbox, or try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}
