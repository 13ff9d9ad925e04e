import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum clock difference between machines that share a home, in milliseconds. */
const clockSkewMs = 60_000;

/** Appends the HMAC-SHA-256 of a text to it. */
export function signText(body: string, secret: Uint8Array): string {
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

/** Reports in constant time whether `signed` is `body` with its HMAC. */
export function isSignedText(signed: string, body: string, secret: Uint8Array): boolean {
  const expected = Buffer.from(signText(body, secret));
  const given = Buffer.from(signed);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Reports whether a text that expires at `expiresAt` is valid now. The upper bound refuses a text signed while the clock
 * was ahead: it would stay valid until that time.
 */
export function isCurrent(expiresAt: number, { now, validMs }: { readonly now: number; readonly validMs: number }) {
  const remainingMs = expiresAt - now;
  return remainingMs > 0 && remainingMs <= validMs + clockSkewMs;
}
