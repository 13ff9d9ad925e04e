import { accountsFormat } from '@cairn/auth';
import { type Database, Environment } from '@cairn/embedded-store';
import { type BillingCustomer, type BillingStore, eventsKeptMs } from './billing-store.ts';

class LmdbBillingStore implements BillingStore {
  readonly #environment: Environment;
  readonly #customers: Database;
  readonly #ids: Database;
  readonly #events: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#customers = environment.database('billing-customers');
    this.#ids = environment.database('billing-customer-ids');
    this.#events = environment.database('billing-events');
  }

  async customer(accountId: string): Promise<BillingCustomer | undefined> {
    this.#environment.refresh();
    return this.#read(accountId);
  }

  async byCustomerId(customerId: string): Promise<BillingCustomer | undefined> {
    this.#environment.refresh();
    const accountId = this.#ids.get(Buffer.from(customerId));
    return accountId && this.#read(Buffer.from(accountId).toString());
  }

  async update(
    accountId: string,
    change: (before: BillingCustomer | undefined) => BillingCustomer,
  ): Promise<BillingCustomer> {
    return await this.#environment.transaction(() => {
      const after = change(this.#read(accountId));
      this.#customers.put(Buffer.from(accountId), Buffer.from(JSON.stringify(after)));
      this.#ids.put(Buffer.from(after.customerId), Buffer.from(accountId));
      return after;
    });
  }

  async isProcessed(eventId: string): Promise<boolean> {
    this.#environment.refresh();
    return this.#events.has(Buffer.from(eventId));
  }

  async markProcessed(eventId: string, at: number): Promise<void> {
    await this.#environment.transaction(() => {
      for (const { key, value } of [...this.#events.range()])
        if (Number(Buffer.from(value).toString()) < at - eventsKeptMs) this.#events.remove(key);
      this.#events.put(Buffer.from(eventId), Buffer.from(String(at)));
    });
  }

  #read(accountId: string): BillingCustomer | undefined {
    const bytes = this.#customers.get(Buffer.from(accountId));
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as BillingCustomer);
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

/** Opens the billing records in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT */
export async function openLmdbBillingStore({ directory }: { readonly directory: string }): Promise<BillingStore> {
  return new LmdbBillingStore(await Environment.open({ directory, format: accountsFormat }));
}
