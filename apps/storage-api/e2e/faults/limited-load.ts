import { Auth } from '@cairn/auth';
import { parsePlan } from '@cairn/metering';
import type { Service } from '../service.ts';

/** Requests of the first account each second, and at a time. A lot is a tenth of a second of the rate. */
const rate = { requestsPerSecond: 20, burst: 20 } as const;
const lotOfRate = 2;
/** Requests of the second account each day. A lot is one credit, the price of the command. */
const creditsPerDay = 500;
const lotOfDay = 1;
const dayMs = 86_400_000;

/** Requests that were admitted in a part of the run, in which no request was under way at its ends. */
interface Part {
  readonly begin: number;
  admitted: number;
}

/** Two accounts that send requests faster than their plans allow, and the check that no fault admits more. */
export class LimitedLoad {
  readonly #service: Service;
  readonly #workers: Promise<void>[] = [];
  readonly #parts: Part[] = [];
  readonly #day = Math.floor(Date.now() / dayMs);
  #isRunning = false;
  #admittedOfDay = 0;
  /** Requests that were refused with 429. */
  refused = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  get admitted(): number {
    return this.#parts.reduce((sum, { admitted }) => sum + admitted, this.#admittedOfDay);
  }

  /** Creates the accounts. Call it before the service starts. */
  async prepare(): Promise<void> {
    const stores = await this.#service.stores();
    const [plans, accounts] = [await stores.plans(), await stores.accounts()];
    await plans.put(parsePlan({ name: 'rate', ...rate }));
    await plans.put(parsePlan({ name: 'day', creditsPerDay }));
    const auth = new Auth({ store: accounts });
    for (const name of ['rate', 'day']) {
      await auth.createAccount({ name, plan: name });
      await auth.attachCard(name, { brand: 'visa', last4: '4242' });
      await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
    }
    await auth.close();
    await plans.close();
  }

  start(): void {
    this.#isRunning = true;
    const part = { begin: performance.now(), admitted: 0 };
    this.#parts.push(part);
    const ofDay = () => {
      this.#admittedOfDay++;
    };
    const ofRate = () => {
      part.admitted++;
    };
    for (let count = 0; count < 3; count++) this.#workers.push(this.#work('rate', ofRate), this.#work('day', ofDay));
  }

  /** Resolves when all requests have ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers.splice(0));
  }

  /**
   * Every part up to now admitted at most its burst, its rate and one lot of each process for each of its faults.
   * @throws Error if a limit was exceeded
   */
  check(): void {
    const now = performance.now();
    const processes = this.#service.processes.length;
    let admitted = 0;
    for (const [index, part] of [...this.#parts.entries()].reverse()) {
      admitted += part.admitted;
      const faults = this.#parts.length - index;
      const most = rate.burst + (rate.requestsPerSecond * (now - part.begin)) / 1000 + processes * lotOfRate * faults;
      if (admitted > most) throw new Error(`${admitted} requests in ${faults} rounds; the limit is ${most.toFixed(1)}`);
    }
    const most = creditsPerDay + processes * lotOfDay * this.#parts.length;
    const isSameDay = this.#day === Math.floor(Date.now() / dayMs);
    if (isSameDay && this.#admittedOfDay > most)
      throw new Error(`${this.#admittedOfDay} requests of a day; the limit is ${most}`);
  }

  async #work(account: string, onAdmitted: () => void): Promise<void> {
    while (this.#isRunning) {
      try {
        const answer = await this.#service.post('version', { as: account, signal: AbortSignal.timeout(30_000) });
        await answer.text();
        if (answer.status === 200) onAdmitted();
        else if (answer.status === 429) this.refused++;
      } catch {
        // A killed process. Its tokens are lost.
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
