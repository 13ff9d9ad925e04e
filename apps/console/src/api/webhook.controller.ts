import type { SignedIn } from '@cairn/auth';
import { Controller, Delete, Get, Inject, Put } from '@nestjs/common';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { Me } from '../session.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { Upstream } from '../upstream.ts';

const newWebhook = z.strictObject({
  url: z
    .string({ error: 'expected a URL' })
    .trim()
    .min(1, 'expected a URL')
    .max(2048, 'expected 2048 characters at most'),
});

/** Object of `/psa/webhook`. */
interface Webhook {
  readonly url: string;
  readonly created: string;
  readonly waiting: number;
  readonly secret?: string;
}

/** The webhook that reports the results of fetches. */
@Controller('api/webhook')
export class WebhookController {
  constructor(@Inject(Upstream) private readonly upstream: Upstream) {}

  @Describe('The webhook of the account without its secret, or null.')
  @Get()
  async get(@Me() { account }: SignedIn): Promise<{ readonly webhook: Webhook | null }> {
    const { status, body } = await this.upstream.pinningService(account.id, 'webhook', { payer: 'service' });
    const text = await body.text();
    if (status === 404) return { webhook: null };
    if (status !== 200) throw storageRefusal(status, text);
    return { webhook: JSON.parse(text) as Webhook };
  }

  @Describe('Creates or replaces the webhook. Its secret is in this answer only.')
  @Put()
  async set(@Me() { account }: SignedIn, @TakesBody(newWebhook) wanted: z.infer<typeof newWebhook>) {
    const answer = await this.upstream.pinningService(account.id, 'webhook', { method: 'PUT', body: wanted });
    const text = await answer.body.text();
    if (answer.status !== 200) throw storageRefusal(answer.status, text, answer.headers);
    return JSON.parse(text) as Webhook;
  }

  @Describe('Removes the webhook.')
  @Delete()
  async remove(@Me() { account }: SignedIn) {
    const { status, body } = await this.upstream.pinningService(account.id, 'webhook', { method: 'DELETE' });
    const text = await body.text();
    if (status >= 300) throw storageRefusal(status, text);
    return {};
  }
}
