import type { Webhook } from './webhook-store.ts';

/** Returns a webhook with its secrets replaced, and the number of those that changed. */
export function withSecrets(webhook: Webhook, change: (secret: string) => string) {
  const secret = change(webhook.secret);
  const previous = webhook.previous && { ...webhook.previous, secret: change(webhook.previous.secret) };
  const changed = Number(secret !== webhook.secret) + Number(previous?.secret !== webhook.previous?.secret);
  return { webhook: { ...webhook, secret, ...(previous && { previous }) }, changed };
}
