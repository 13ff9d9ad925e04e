import { createClient, ErrorReply } from '@redis/client';
import { redisOutcomeUnknown, redisUnavailable } from './errors.ts';
import { redisLimits } from './limits.ts';
import type { RedisAddress, RedisTarget } from './parse-urls.ts';

/** Settings of the connection to one server. */
export interface LinkOptions {
  /** Addresses that are tried in turn: more than one for a primary server and its replicas. */
  readonly addresses: readonly RedisAddress[];
  readonly target: Pick<RedisTarget, 'username' | 'password' | 'database' | 'isTls'>;
  readonly commandMs: number;
  readonly onError: (error: unknown) => void;
  /** Called after each connection. */
  readonly onUp: () => void;
  /** Called after a lost connection and after each failed attempt to connect. */
  readonly onDown: () => void;
}

/** Kinds of error replies of a server that cannot serve now. */
const awayReplies = /^(LOADING|READONLY|MASTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS)\b/;

/**
 * Connection to one server. It fails as a whole: after a command without an answer in time, a lost socket or bytes that are no
 * answers, it is replaced by a new one. While it is down, a command fails without waiting. Answers are matched to commands by
 * their order, so a connection with an unexplained answer is never used again.
 */
export class ServerLink {
  readonly #options: LinkOptions;
  #client: Client | undefined;
  #cause: unknown;
  /** Failed attempts in a row. */
  #failures = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #pending = 0;
  #connections = 0;
  #upAt = Number.NEGATIVE_INFINITY;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Start of the present connection, in milliseconds of `performance.now()`. */
  get upAt(): number {
    return this.#upAt;
  }

  /** Connects to the first server that answers. If none does, it tries again in the background, until {@link close}. */
  async start(): Promise<void> {
    const { addresses, target, onUp, onDown, onError } = this.#options;
    for (const address of addresses) {
      try {
        const client = await connect(address, target, (failed, error) => this.#fail(failed, error));
        if (this.#isClosed) return client.destroy();
        this.#client = client;
        this.#connections++;
        this.#upAt = performance.now();
        this.#failures = 0;
        return onUp();
      } catch (error) {
        if (this.#isClosed) return;
        this.#cause = error;
        onError(error);
      }
    }
    this.#restart();
    onDown();
  }

  #restart(): void {
    const pauseMs = Math.min(redisLimits.pauseMs * 2 ** this.#failures++, redisLimits.pauseMsMax);
    this.#timer = setTimeout(() => void this.start(), pauseMs * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }

  /**
   * Sends one command. An error reply rejects as the `ErrorReply` of the client.
   * @throws REDIS_UNAVAILABLE if it was not sent, REDIS_OUTCOME_UNKNOWN if it has no answer
   */
  send(command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || this.#pending >= redisLimits.pendingMax)
      return Promise.reject(redisUnavailable(this.#cause));
    this.#pending++;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const timer = setTimeout(() => {
        // Answers that arrived while the event loop was busy are read before the connection is given up.
        setImmediate(() => setImmediate(() => isSettled || this.#fail(client, new Error('no answer in time'))));
      }, this.#options.commandMs);
      const settle = () => {
        isSettled = true;
        clearTimeout(timer);
        this.#pending--;
      };
      client.sendCommand(command).then(
        (answer) => {
          settle();
          resolve(answer);
        },
        (error: unknown) => {
          settle();
          if (!(error instanceof ErrorReply)) return reject(redisOutcomeUnknown(error));
          if (awayReplies.test(error.message)) this.#fail(client, error);
          reject(error);
        },
      );
    });
  }

  /** Replaces the connection after an answer that does not fit its command. */
  drop(error: unknown): void {
    if (this.#client !== undefined) this.#fail(this.#client, error);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    client?.destroy();
  }

  #fail(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#cause = error;
    client.destroy();
    if (this.#isClosed) return;
    this.#options.onError(error);
    this.#restart();
    this.#options.onDown();
  }
}

type Client = ReturnType<typeof newClient>;

function newClient({ host, port }: RedisAddress, target: LinkOptions['target']) {
  const { username, password, database, isTls } = target;
  const socket = { host, port, connectTimeout: redisLimits.connectMs, reconnectStrategy: false } as const;
  return createClient({
    // Node's TLS sends the host name only if it is given.
    socket: isTls ? { ...socket, tls: true, servername: host } : socket,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // `ServerLink` has its own time limit, which also covers commands that were sent.
    commandOptions: { timeout: undefined },
  });
}

/** Connects to a server and identifies it. The client is destroyed after a failure. */
export async function connect(
  address: RedisAddress,
  target: LinkOptions['target'],
  onFailure: (client: Client, error: unknown) => void,
  { isReplicaAllowed = false } = {},
): Promise<Client> {
  const client = newClient(address, target);
  let failure: ((error: unknown) => void) | undefined;
  const failed = new Promise<never>((_, reject) => {
    failure = reject;
  });
  failed.catch(() => {});
  client.on('error', (error: unknown) => {
    failure?.(error);
    onFailure(client, error);
  });
  const timer = setTimeout(() => failure?.(new Error('no answer to the first command in time')), redisLimits.connectMs);
  try {
    const role = await Promise.race([client.connect().then(() => client.sendCommand(['ROLE'])), failed]);
    if (!Array.isArray(role)) throw new Error('The answer to ROLE is not that of Redis.');
    // A server that was replaced as primary refuses writes.
    if (!isReplicaAllowed && String(role[0]) !== 'master') throw new Error(`The server is a ${String(role[0])}.`);
    return client;
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
