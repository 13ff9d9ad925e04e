import { type Account, Auth } from '@cairn/auth';
import { Inject, Injectable } from '@nestjs/common';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';
import { rangeOfSpan, type SpanName } from '../usage-summary.ts';
import { type ServiceUsage, summarizeService } from './service-usage.ts';

/** Age in milliseconds up to which all operators share one answer. */
const freshMs = 15_000;
/** Accounts whose usage is read. */
const accountsMax = 10_000;

interface Reading {
  readonly startedAt: number;
  readonly answer: Promise<ServiceUsage>;
}

/** Usage of all accounts. Each span is read at most every 15 seconds, so that open pages cost the stores little. */
@Injectable()
export class ServiceUsages {
  readonly #readings = new Map<SpanName, Reading>();

  constructor(
    @Inject(Auth) private readonly auth: Pick<Auth, 'accounts'>,
    @Inject(STORES) private readonly stores: Pick<ConsoleStores, 'usage'>,
  ) {}

  async of(span: SpanName): Promise<ServiceUsage> {
    const before = this.#readings.get(span);
    if (before !== undefined && performance.now() - before.startedAt < freshMs) return await before.answer;
    const reading = { startedAt: performance.now(), answer: this.#read(span) };
    this.#readings.set(span, reading);
    // A failed reading is not kept.
    reading.answer.catch(() => this.#readings.get(span) === reading && this.#readings.delete(span));
    return await reading.answer;
  }

  async #read(span: SpanName): Promise<ServiceUsage> {
    const accounts: Account[] = [];
    for await (const account of this.auth.accounts()) if (accounts.push(account) >= accountsMax) break;
    const now = Date.now();
    return await summarizeService(accounts, this.stores.usage, rangeOfSpan(span, now), now);
  }
}
