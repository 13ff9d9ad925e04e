import { isCairnError } from '@cairn/errors';
import { ErrorReply } from '@redis/client';
import { ClusterSlots, nameOf, redirectFrom, slotRangesFrom } from './cluster-slots.ts';
import { redisAnswerInvalid, redisRefused, redisUnavailable } from './errors.ts';
import { redisLimits } from './limits.ts';
import { parseRedisUrls, type RedisAddress, type RedisTarget } from './parse-urls.ts';
import type { RedisScript } from './script.ts';
import { connect, ServerLink } from './server-link.ts';

export interface RedisOptions {
  /** `redis://user:password@host:port/database`, or `rediss:` for TLS. Several are separated by commas. */
  readonly url: string;
  /** Time of one command in milliseconds. */
  readonly commandMs?: number;
  /** Called with failures of connections, which calls report as REDIS_UNAVAILABLE. */
  readonly onError?: (error: unknown) => void;
}

/** State of the server that has a key. */
export interface RedisServerState {
  /** Whether commands are sent. */
  readonly isUp: boolean;
  /** Start of the connection, in milliseconds of `performance.now()`. */
  readonly upAt: number;
  /** Whether an earlier connection of this process was lost: the server may have lost its data. */
  readonly isReconnected: boolean;
}

export interface RedisState {
  readonly servers: number;
  readonly serversUp: number;
  readonly calls: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** One Redis server or a cluster. No call waits for a server that is away. */
export interface Redis {
  /**
   * Runs a script on the server of its keys, which must share a hash tag.
   * @throws REDIS_UNAVAILABLE if it did not run, REDIS_OUTCOME_UNKNOWN if it may have run, REDIS_REFUSED, REDIS_ANSWER_INVALID
   */
  run<T>(call: ScriptCall<T>): Promise<T>;
  /** State of the server that has a key. */
  stateOf(key: string): RedisServerState;
  /** Numbers for metrics: servers, calls since the start, and failed calls by code. */
  state(): RedisState;
  /** Calls the listener after each connection to a server, until the returned function is called. */
  onUp(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A script with its arguments. */
export interface ScriptCall<T> {
  readonly script: RedisScript;
  readonly keys: readonly [string, ...string[]];
  readonly values: readonly (string | number)[];
  /** Converts the answer; returns `undefined` for an answer in another form. */
  readonly parse: (answer: unknown) => T | undefined;
}

/**
 * Connects to Redis. It also resolves if no server answers: connecting continues in the background, and calls fail meanwhile.
 * @throws REDIS_URL_INVALID
 */
export async function openRedis(options: RedisOptions): Promise<Redis> {
  const servers = new RedisServers(options, parseRedisUrls(options.url));
  await servers.start();
  return servers;
}

const down: RedisServerState = { isUp: false, upAt: Number.NEGATIVE_INFINITY, isReconnected: false };

class RedisServers implements Redis {
  readonly #target: RedisTarget;
  readonly #commandMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  /** Connections by name of the server. A server alone has the empty name. */
  readonly #links = new Map<string, ServerLink>();
  /** Present for a cluster. */
  #slots: ClusterSlots | undefined;
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #calls = 0;
  readonly #failures: Record<string, number> = {};

  constructor({ commandMs = redisLimits.commandMs, onError = () => {} }: RedisOptions, target: RedisTarget) {
    this.#target = target;
    this.#commandMs = commandMs;
    this.#onError = onError;
  }

  /** Finds out whether the servers are a cluster, and connects. After a failure it tries again in the background. */
  async start(): Promise<void> {
    const found = await this.#discover(this.#target.addresses);
    if (this.#isClosed) return;
    if (found === undefined) {
      this.#timer = setTimeout(() => void this.start(), redisLimits.pauseMsMax * (0.5 + Math.random() / 2));
      this.#timer.unref();
    } else if (found === 'alone') await this.#link('', this.#target.addresses).start();
    else await this.#useSlots(found);
  }

  async run<T>(call: ScriptCall<T>): Promise<T> {
    this.#calls++;
    try {
      return await this.#run(call);
    } catch (error) {
      const code = isCairnError(error) ? error.code : 'other';
      this.#failures[code] = (this.#failures[code] ?? 0) + 1;
      throw error;
    }
  }

  state(): RedisState {
    const links = [...this.#links.values()];
    const serversUp = links.filter(({ isUp }) => isUp).length;
    return { servers: links.length, serversUp, calls: this.#calls, failures: { ...this.#failures } };
  }

  async #run<T>({ script, keys, values, parse }: ScriptCall<T>): Promise<T> {
    const rest = [String(keys.length), ...keys, ...values.map(String)];
    const answer = await this.#send(keys[0], ['EVALSHA', script.hash, ...rest])
      .catch((error: unknown) => {
        // A server that was restarted does not have the script. EVAL runs and stores it.
        if (error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))
          return this.#send(keys[0], ['EVAL', script.text, ...rest]);
        throw error;
      })
      .catch((error: unknown) => {
        throw error instanceof ErrorReply ? redisRefused(error) : error;
      });
    const parsed = parse(answer);
    if (parsed !== undefined) return parsed;
    const invalid = redisAnswerInvalid(`the script ${script.name}`);
    this.#linkOf(keys[0])?.drop(invalid);
    throw invalid;
  }

  stateOf(key: string): RedisServerState {
    const link = this.#linkOf(key);
    return link === undefined ? down : { isUp: link.isUp, upAt: link.upAt, isReconnected: link.connections > 1 };
  }

  onUp(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    await this.#refreshing;
  }

  #linkOf(key: string): ServerLink | undefined {
    const name = this.#slots === undefined ? '' : this.#slots.of(key);
    return name === undefined ? undefined : this.#links.get(name);
  }

  /** Sends a command to the server of a key, and to others while slots move. An error reply rejects as it is. */
  async #send(key: string, command: readonly string[]): Promise<unknown> {
    let link = this.#linkOf(key);
    let isAsking = false;
    for (let redirects = 0; ; redirects++) {
      if (link === undefined) {
        this.#refresh();
        throw redisUnavailable();
      }
      try {
        // Both commands are written in one turn, so that no other command comes between.
        const asking = isAsking ? link.send(['ASKING']) : undefined;
        const answer = link.send(command);
        await asking;
        return await answer;
      } catch (error) {
        if (this.#slots === undefined || !(error instanceof ErrorReply)) throw error;
        const redirect = redirectFrom(error.message, this.#target.addresses[0]);
        if (redirect === undefined || redirects >= redisLimits.redirectsMax) {
          this.#refresh();
          throw error;
        }
        if (redirect.isMoved) this.#refresh();
        isAsking = !redirect.isMoved;
        link = await this.#linkTo(redirect.address);
      }
    }
  }

  #link(name: string, addresses: readonly RedisAddress[]): ServerLink {
    const link = new ServerLink({
      addresses,
      target: this.#target,
      commandMs: this.#commandMs,
      onError: this.#onError,
      onUp: () => {
        for (const listener of this.#listeners) listener();
      },
      // A replica may have taken over.
      onDown: () => this.#slots !== undefined && this.#refresh(),
    });
    this.#links.set(name, link);
    return link;
  }

  /** Returns the connection to a server of the cluster, connected if possible. */
  async #linkTo(address: RedisAddress): Promise<ServerLink> {
    const name = nameOf(address);
    const known = this.#links.get(name);
    if (known !== undefined) return known;
    const link = this.#link(name, [address]);
    await link.start();
    return link;
  }

  /** Reads the slots again, one run at a time. */
  #refresh(): void {
    if (this.#isClosed) return;
    this.#refreshing ??= this.#readSlots().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #readSlots(): Promise<void> {
    const known = [...(this.#slots?.addresses.values() ?? [])];
    // Servers with a connection first: the others may not answer.
    known.sort((one, other) => Number(this.#isUp(other)) - Number(this.#isUp(one)));
    const found = await this.#discover([...known, ...this.#target.addresses]);
    if (found instanceof ClusterSlots && !this.#isClosed) await this.#useSlots(found);
  }

  #isUp(address: RedisAddress): boolean {
    return this.#links.get(nameOf(address))?.isUp === true;
  }

  async #useSlots(slots: ClusterSlots): Promise<void> {
    this.#slots = slots;
    for (const [name, link] of this.#links)
      if (!slots.addresses.has(name)) {
        this.#links.delete(name);
        link.close();
      }
    await Promise.all([...slots.addresses.values()].map((address) => this.#linkTo(address)));
  }

  /** Asks servers in turn what they are. Returns `undefined` if none answers. */
  async #discover(addresses: readonly RedisAddress[]): Promise<ClusterSlots | 'alone' | undefined> {
    for (const address of addresses) {
      if (this.#isClosed) return undefined;
      try {
        const client = await connect(address, this.#target, () => {}, { isReplicaAllowed: true });
        try {
          const found = await Promise.race([askSlots(client, address), elapsed(redisLimits.connectMs)]);
          if (found !== undefined) return found;
        } finally {
          client.destroy();
        }
      } catch (error) {
        this.#onError(error);
      }
    }
    return undefined;
  }
}

async function askSlots(
  client: Awaited<ReturnType<typeof connect>>,
  address: RedisAddress,
): Promise<ClusterSlots | 'alone' | undefined> {
  const information = String(await client.sendCommand(['INFO', 'cluster']));
  if (!/^cluster_enabled:1/m.test(information)) return 'alone';
  const ranges = slotRangesFrom(await client.sendCommand(['CLUSTER', 'SLOTS']), address);
  return ranges && new ClusterSlots(ranges);
}

function elapsed(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
}
