import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long one stands for an account, in milliseconds: a request is sent with it at once. */
export const delegationMs = 60_000;

/** Clocks of machines that share a home may differ by this, in milliseconds. */
const clockSkewMs = 60_000;

/**
 * Payer of a request that a service sends for an account: the account itself, or the service, for reads of its own pages. The mark is
 * part of what is signed.
 */
export type DelegationPayer = 'account' | 'service';

const marks: Readonly<Record<DelegationPayer, string>> = { account: '~c.', service: '~s.' };

/** Whether something that stands where a key id does is a delegation. Key ids cannot begin so. */
export function isDelegation(keyId: string): boolean {
  return payerOf(keyId) !== undefined;
}

function payerOf(keyId: string): DelegationPayer | undefined {
  if (keyId.startsWith(marks.account)) return 'account';
  return keyId.startsWith(marks.service) ? 'service' : undefined;
}

/** A short-lived name for an account, which a service of one's own puts where a key id stands. */
export function signDelegation(
  { accountId, payer }: { readonly accountId: string; readonly payer: DelegationPayer },
  secret: Uint8Array,
  now: number,
): string {
  const body = `${marks[payer]}${accountId}.${now + delegationMs}`;
  return `${body}.${macOf(body, secret)}`;
}

/** The account that a delegation stands for, and its payer; `undefined` for one that is over, or not by this secret. */
export function verifyDelegation(
  delegation: string,
  secret: Uint8Array,
  now: number,
): { readonly accountId: string; readonly payer: DelegationPayer } | undefined {
  const payer = payerOf(delegation);
  if (payer === undefined) return undefined;
  const [, accountId = '', expiresAt = ''] = delegation.split('.');
  const expected = signature(`${marks[payer]}${accountId}.${expiresAt}`, secret);
  const given = Buffer.from(delegation);
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
  const remainingMs = Number(expiresAt) - now;
  // One that was signed under a clock far ahead would stand for the account until that time comes.
  return isGenuine && remainingMs > 0 && remainingMs <= delegationMs + clockSkewMs ? { accountId, payer } : undefined;
}

function signature(body: string, secret: Uint8Array): Buffer {
  return Buffer.from(`${body}.${macOf(body, secret)}`);
}

function macOf(body: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('base64url');
}
