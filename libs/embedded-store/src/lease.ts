import type { Database } from './database.ts';
import type { Environment } from './environment.ts';
import { hasExited, type ProcessIdentity, processIdentity } from './process-identity.ts';

export interface LeaseOptions {
  readonly environment: Environment;
  /** Name of the right. Each name has one holder across all processes of the environment. */
  readonly name: string;
  /** Time without renewal after which another process may take the lease. Default 60. */
  readonly seconds?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

interface LeaseRecord {
  readonly holder: ProcessIdentity;
  /** Milliseconds since 1970. */
  readonly renewedAt: number;
}

/**
 * A right that one process has at a time, such as the right to collect garbage. The lease of an exited process is free
 * immediately; the lease of a process that cannot be observed is free after `seconds` without renewal.
 */
export class Lease {
  readonly #environment: Environment;
  readonly #leases: Database;
  readonly #key: Uint8Array;
  readonly #milliseconds: number;
  readonly #now: () => number;
  readonly #identity = processIdentity();

  private constructor(leases: Database, { environment, name, seconds = 60, now = Date.now }: LeaseOptions) {
    this.#environment = environment;
    this.#leases = leases;
    this.#key = Buffer.from(name);
    this.#milliseconds = seconds * 1000;
    this.#now = now;
  }

  /** Takes the lease. Resolves to `undefined` while another holder has it. */
  static async tryAcquire(options: LeaseOptions): Promise<Lease | undefined> {
    const lease = new Lease(await options.environment.openDatabase('leases'), options);
    return (await lease.#take((current) => current === undefined || lease.#isFree(current))) ? lease : undefined;
  }

  /** Extends the lease. Resolves to false when it was lost: the former holder must stop. */
  renew(): Promise<boolean> {
    return this.#take((current) => current?.holder.token === this.#identity.token);
  }

  async release(): Promise<void> {
    await this.#environment.transaction(() => {
      if (this.#read()?.holder.token === this.#identity.token) this.#leases.remove(this.#key);
    });
  }

  #take(isAllowed: (current: LeaseRecord | undefined) => boolean): Promise<boolean> {
    return this.#environment.transaction(() => {
      if (!isAllowed(this.#read())) return false;
      const record: LeaseRecord = { holder: this.#identity, renewedAt: this.#now() };
      this.#leases.put(this.#key, Buffer.from(JSON.stringify(record)));
      return true;
    });
  }

  #read(): LeaseRecord | undefined {
    const found = this.#leases.get(this.#key);
    return found && (JSON.parse(Buffer.from(found).toString()) as LeaseRecord);
  }

  #isFree({ holder, renewedAt }: LeaseRecord): boolean {
    return hasExited(holder) || Math.abs(this.#now() - renewedAt) > this.#milliseconds;
  }
}
