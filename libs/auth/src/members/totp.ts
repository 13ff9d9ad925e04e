import { Secret, TOTP } from 'otpauth';
import type { TotpState } from './member.ts';

const period = 30;

/** Returns the record name of a second factor, to which its sealed secret is bound. */
export function totpPlace(memberId: string): string {
  return `totp:${memberId}`;
}

/** Creates the secret of a second factor in base32, and the `otpauth:` URI that authenticator apps read as a QR code. */
export function createTotp(email: string): { readonly secret: string; readonly uri: string } {
  const secret = new Secret({ size: 20 });
  const uri = new TOTP({ issuer: 'Cairn', label: email, secret, period }).toString();
  return { secret: secret.base32, uri };
}

/**
 * Returns the counter of a code that is correct for the current time step, the one before or the one after. Returns
 * `undefined` for a wrong code, and for one that was used before.
 */
export function acceptCode(
  { secret, lastCounter }: Pick<TotpState, 'secret' | 'lastCounter'>,
  code: string,
  now: number,
): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period });
  const delta = totp.validate({ token: code.replaceAll(/\s/g, ''), timestamp: now, window: 1 });
  if (delta === null) return undefined;
  const present = Math.floor(now / 1000 / period);
  const counter = present + delta;
  // A last counter beyond the next step was stored while the clock was ahead. It would refuse every code until that time.
  const isAhead = lastCounter > present + 1;
  return isAhead || counter > lastCounter ? counter : undefined;
}
