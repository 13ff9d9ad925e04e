import { CairnError, errorChain } from '@cairn/errors';
import { type Logger, SettingsError } from '@cairn/service-kit';
import { createTransport } from 'nodemailer';
import type { ConsoleSettings } from '../settings.ts';

/** Plain text mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Limits of outgoing mail. */
export const mailLimits = {
  /** Mails that wait or are in transit. */
  queuedMax: 200,
  /** Connections to the SMTP server. */
  connectionsMax: 2,
  /** Connecting, greeting and each answer of the server. */
  msMax: 20_000,
} as const;

/**
 * Sends mail through an SMTP server, in the background: the time of a response does not reveal whether a mail is sent.
 * A failed mail is logged and not sent again: the recipient requests another one.
 */
export class Mailer {
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #from: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #queued = new Set<Promise<void>>();

  constructor({
    url,
    from,
    logger,
  }: { readonly url: string; readonly from: string; readonly logger: Pick<Logger, 'warn'> }) {
    this.#transport = createTransport(urlWithLimits(url));
    this.#from = from;
    this.#logger = logger;
  }

  /** Mails that wait or are in transit. */
  get queued(): number {
    return this.#queued.size;
  }

  /** Queues the mail that `compose` returns; none if it returns undefined. @throws SERVICE_BUSY if the queue is full */
  post(compose: () => Promise<Mail | undefined>): void {
    if (this.#queued.size >= mailLimits.queuedMax)
      throw new CairnError('SERVICE_BUSY', `${mailLimits.queuedMax} mails are waiting already.`, {
        hint: 'Retry in a minute.',
        details: { retryAfterSeconds: 60 },
      });
    const sending = this.#post(compose).finally(() => this.#queued.delete(sending));
    this.#queued.add(sending);
  }

  /** Sends a mail, and resolves when the server has accepted it. @throws the error of the server or the connection */
  async send(mail: Mail): Promise<void> {
    await this.#transport.sendMail({ from: this.#from, ...mail });
  }

  async #post(compose: () => Promise<Mail | undefined>): Promise<void> {
    try {
      const mail = await compose();
      if (mail !== undefined) await this.send(mail);
    } catch (error) {
      this.#logger.warn({ causes: errorChain(error) }, 'a mail was not sent');
    }
  }

  /** Waits for queued mail and closes the connections. */
  async close(): Promise<void> {
    await Promise.all(this.#queued);
    this.#transport.close();
  }
}

/** Opens the mailer of the settings, or returns undefined without an SMTP server. @throws SETTINGS_INVALID without a sender */
export function openMailer(
  { CAIRN_SMTP_URL: url, CAIRN_MAIL_FROM: from }: Pick<ConsoleSettings, 'CAIRN_SMTP_URL' | 'CAIRN_MAIL_FROM'>,
  logger: Pick<Logger, 'warn'>,
): Mailer | undefined {
  if (url === undefined) return undefined;
  if (from !== undefined) return new Mailer({ url, from, logger });
  throw new SettingsError([
    { key: 'CAIRN_MAIL_FROM', problem: 'is not set; CAIRN_SMTP_URL requires a sender such as no-reply@example.org' },
  ]);
}

/** Options of the query take precedence, so that an operator can set others. */
function urlWithLimits(text: string): string {
  const url = new URL(text);
  const defaults = {
    pool: 'true',
    maxConnections: String(mailLimits.connectionsMax),
    connectionTimeout: String(mailLimits.msMax),
    greetingTimeout: String(mailLimits.msMax),
    socketTimeout: String(mailLimits.msMax),
  };
  for (const [name, value] of Object.entries(defaults))
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  return url.href;
}
