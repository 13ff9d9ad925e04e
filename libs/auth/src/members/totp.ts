import { Secret, TOTP } from 'otpauth';
import type { TotpState } from './member.ts';

const period = 30;

/** The place of a second factor, to which its sealed secret is bound. */
export function totpPlace(memberId: string): string {
  return `totp:${memberId}`;
}

/** The secret of a new second factor in base32, and the URI that authenticator apps read (as a QR code, say). */
export function createTotp(email: string): { readonly secret: string; readonly uri: string } {
  const secret = new Secret({ size: 20 });
  const uri = new TOTP({ issuer: 'Cairn', label: email, secret, period }).toString();
  return { secret: secret.base32, uri };
}

/** The counter of a code that is right now, or a step before or after; `undefined` for a wrong one and for one used before. */
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
  // A counter beyond the next step was kept under a clock that was ahead: it would refuse every code until that time comes.
  const isKeptAhead = lastCounter > present + 1;
  return isKeptAhead || counter > lastCounter ? counter : undefined;
}
