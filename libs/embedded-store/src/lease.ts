import type { Database } from './database.ts';
import type { Environment } from './environment.ts';
import { hasExited, type ProcessIdentity, processIdentity } from './process-identity.ts';

export interface LeaseOptions {
  readonly environment: Environment;
  /** What the lease is for: one holder a name, over all processes that use the environment. */
  readonly name: string;
  /** Without a renewal for this long, others may take it. Default 60. */
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
 * The right to do something that only one process may do at a time, such as collecting garbage. The lease of a process
 * that has ended is free at once, that of one out of sight after a while.
 */
export class Lease {
  readonly #environment: Environment;
  readonly #leases: Database;
  readonly #key: Uint8Array;
  readonly #milliseconds: number;
  readonly #now: () => number;
  readonly #identity = processIdentity();

  private constructor({ environment, name, seconds = 60, now = Date.now }: LeaseOptions) {
    this.#environment = environment;
    this.#leases = environment.database('leases');
    this.#key = Buffer.from(name);
    this.#milliseconds = seconds * 1000;
    this.#now = now;
  }

  /** The lease, or `undefined` while somebody else has it. */
  static async tryAcquire(options: LeaseOptions): Promise<Lease | undefined> {
    const lease = new Lease(options);
    return (await lease.#take((held) => held === undefined || lease.#isFree(held))) ? lease : undefined;
  }

  /** Keeps the lease for longer. False when it was lost: whoever held it must stop. */
  renew(): Promise<boolean> {
    return this.#take((held) => held?.holder.token === this.#identity.token);
  }

  async release(): Promise<void> {
    await this.#environment.transaction(() => {
      if (this.#read()?.holder.token === this.#identity.token) this.#leases.remove(this.#key);
    });
  }

  #take(isAllowed: (held: LeaseRecord | undefined) => boolean): Promise<boolean> {
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
