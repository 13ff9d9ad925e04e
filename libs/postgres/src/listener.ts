import pg from 'pg';
import { postgresLimits } from './limits.ts';

export interface NoticeOptions {
  /** Name of the channel: lower case letters, digits and `_`. */
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  /** Called after each (re)connection: notices before it may be lost, so that the reader reads the state again. */
  readonly onConnected: () => void;
}

/** Connection that receives notices, and is replaced when it ends. */
export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #options: NoticeOptions;
  readonly #onError: (error: unknown) => void;
  #client: pg.Client | undefined;
  #connecting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number = postgresLimits.listenPauseMs;
  #isStopped = false;

  constructor(config: pg.ClientConfig, options: NoticeOptions, onError: (error: unknown) => void) {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(options.channel)) throw new RangeError(`channel: ${options.channel}`);
    this.#config = config;
    this.#options = options;
    this.#onError = onError;
  }

  /** Connects. A failure is reported to `onError`, and the connection is tried again. */
  async start(): Promise<void> {
    if (this.#isStopped) return;
    const client = new pg.Client(this.#config);
    this.#client = client;
    let isLost = false;
    const onLost = (error?: unknown) => {
      if (isLost) return;
      isLost = true;
      client.end().catch(() => {});
      if (error !== undefined && !this.#isStopped) this.#onError(error);
      this.#restart();
    };
    client.on('error', onLost);
    client.on('end', () => onLost());
    client.on('notification', ({ payload = '' }) => this.#options.onNotice(payload));
    try {
      this.#connecting = client.connect();
      await this.#connecting;
      if (this.#isStopped) return;
      await client.query(`LISTEN ${this.#options.channel}`);
      this.#pauseMs = postgresLimits.listenPauseMs;
      if (!this.#isStopped) this.#options.onConnected();
    } catch (error) {
      onLost(error);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // A client that is ended while it connects leaves its connection open.
    await this.#connecting?.catch(() => {});
    await this.#client?.end().catch(() => {});
  }

  #restart(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.start(), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, postgresLimits.listenPauseMsMax);
  }
}
