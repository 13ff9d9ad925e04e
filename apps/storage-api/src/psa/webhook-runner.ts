import { errorChain } from '@cairn/errors';
import {
  type DeliveryResult,
  type PinRequestStore,
  signWebhook,
  type WebhookEvent,
  WebhookSender,
} from '@cairn/pinning';
import { createPublicHttp, type PublicHttp } from '@cairn/public-http';
import { type Logger, type Registry, registerGauge } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { StorageSettings } from '../settings.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';
import { formatTime } from './rfc3339.ts';
import { Webhooks } from './webhooks.ts';

/** Bounds of one delivery: a receiver has this time, and its response is read up to this length. */
const deliveryMs = 15_000;
const responseBytesMax = 16 * 1024;

/** Delivers changes of pin requests and notices to the webhooks of accounts. */
@Injectable()
export class WebhookRunner implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #http: PublicHttp;
  readonly #sender: WebhookSender;

  constructor(
    @Inject(PIN_REQUEST_STORE) private readonly requests: PinRequestStore,
    @Inject(Webhooks) private readonly webhooks: Webhooks,
    @Inject(SETTINGS) settings: StorageSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#http = createPublicHttp({
      allowsPrivate: settings.STORAGE_WEBHOOK_PRIVATE === 'yes',
      connectionsPerOrigin: 4,
      originsMax: 64,
    });
    this.#sender = new WebhookSender({
      store: requests.webhooks,
      send: (event, signal) => this.#send(event, signal),
      onError: (error) => logger.error({ causes: errorChain(error) }, 'webhooks could not be processed'),
    });
  }

  onApplicationBootstrap(): void {
    this.#sender.start();
  }

  /** Stops before the stores close. */
  async onModuleDestroy(): Promise<void> {
    await this.#sender.stop();
    await this.#http.close();
  }

  registerMetrics(registry: Registry): void {
    const { counts } = this.#sender;
    const { webhooks } = this.requests;
    registerGauge(
      registry,
      'cairn_webhooks_waiting',
      'Events of webhooks that wait.',
      () => webhooks.waitingCount(),
      [],
      'max',
    );
    registerGauge(registry, 'cairn_webhooks_delivered', 'Events delivered since the start.', () => counts.delivered);
    registerGauge(registry, 'cairn_webhooks_retried', 'Failed deliveries that are retried.', () => counts.retried);
    registerGauge(registry, 'cairn_webhooks_dropped', 'Events that no receiver took.', () => counts.dropped);
  }

  async #send(event: WebhookEvent, signal: AbortSignal): Promise<DeliveryResult> {
    const webhook = await this.requests.webhooks.get(event.account);
    if (webhook === undefined) return 'gone';
    try {
      const body = bodyOf(event);
      const secrets = this.webhooks.secretsOf(event.account, webhook);
      const signed = signWebhook({ id: `msg_${event.id}`, time: Date.now(), body }, secrets);
      const { status } = await this.#http.request(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'cairn-webhooks', ...signed },
        body,
        bytesMax: responseBytesMax,
        timeoutMs: deliveryMs,
        signal,
      });
      if (status >= 200 && status < 300) return 'delivered';
      return status === 410 ? 'gone' : 'failed';
    } catch (error) {
      // The message names the host, not the URL.
      this.logger.debug({ account: event.account, causes: errorChain(error) }, 'a webhook was not delivered');
      return 'failed';
    }
  }
}

/** Payload in the form that Standard Webhooks recommends. */
function bodyOf({ createdAt, request, notice }: WebhookEvent): string {
  const timestamp = new Date(createdAt).toISOString();
  if (request === undefined) return JSON.stringify({ type: notice?.type, timestamp, data: notice?.data });
  const { id, status, createdAt: created, cid, name, meta, reason } = request;
  return JSON.stringify({
    type: `pin.${status}`,
    timestamp,
    data: { requestid: id, status, created: formatTime(created), pin: { cid, name, meta }, reason },
  });
}
