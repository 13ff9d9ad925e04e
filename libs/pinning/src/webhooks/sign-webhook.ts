import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard Webhooks: 24 to 64 bytes. */
const secretBytes = 32;

/** Returns a new secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

export interface SignedMessage {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly body: string;
}

/**
 * Returns the header fields of a message (https://www.standardwebhooks.com): `webhook-signature` has one HMAC-SHA256 for each
 * secret.
 */
export function signWebhook({ id, time, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(secretPrefix, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
