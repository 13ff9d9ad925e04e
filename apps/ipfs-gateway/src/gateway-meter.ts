import type { Principal } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { type AccountLimits, creditsOfTransfer, type Metering, type UsageOwner } from '@cairn/metering';
import { errorOf, type MeterOutcome, type RecordedMeter } from '@cairn/service-kit';

/** Credits of one request beside those of its bytes: that of a read of the storage API. */
const requestCredits = 1;
const operation = 'gateway/get';

/** Limits and usage of one request of an account. */
export class GatewayMeter implements RecordedMeter {
  readonly limits: AccountLimits;
  credits = 0;
  bytesOut = 0;
  /** Bytes of blocks that were fetched for the account. */
  bytesIn = 0;
  readonly #metering: Metering;
  readonly #owner: UsageOwner;
  readonly #start = performance.now();
  readonly #isLogged: boolean;
  #hasPermit = false;
  #isEnded = false;

  constructor(metering: Metering, principal: Principal) {
    this.#metering = metering;
    const { limits, accountId } = metering.payment(principal);
    this.limits = limits;
    this.#owner = { accountId, key: principal.key.reference };
    this.#isLogged = principal.payer === undefined;
  }

  get account(): string {
    return this.#owner.accountId;
  }

  /** Takes a permit and the credits of a request. @throws LIMIT_REACHED */
  async admit(): Promise<void> {
    await this.limits.enter();
    if (this.#isEnded) return this.limits.leave();
    this.#hasPermit = true;
    await this.limits.admit(requestCredits);
    await this.limits.requireBytes();
    this.credits = requestCredits;
  }

  /** Counts sent bytes. @throws LIMIT_REACHED if the account has used up its bytes or credits */
  async sent(bytes: number): Promise<void> {
    const before = creditsOfTransfer(this.bytesOut);
    this.bytesOut += bytes;
    const added = creditsOfTransfer(this.bytesOut) - before;
    this.credits += added;
    if (added > 0) this.limits.charge(added);
    this.limits.chargeBytes(0, bytes);
    await this.requireUse();
  }

  /** Counts bytes fetched from other nodes, which arrive for the account as its uploads do. */
  fetched(bytes: number): void {
    const before = creditsOfTransfer(this.bytesIn);
    this.bytesIn += bytes;
    const added = creditsOfTransfer(this.bytesIn) - before;
    this.credits += added;
    if (added > 0) this.limits.charge(added);
    this.limits.chargeBytes(bytes, 0);
  }

  /** @throws LIMIT_REACHED if the account has used up its bytes or credits */
  async requireUse(): Promise<void> {
    await this.limits.requireBytes();
    await this.limits.requireCredits();
  }

  get logFields() {
    return { credits: this.credits, bytesIn: this.bytesIn, bytesOut: this.bytesOut };
  }

  end({ isFailed, failure, status, request }: Omit<MeterOutcome, 'bytesIn' | 'bytesOut'>): void {
    this.#isEnded = true;
    if (this.#hasPermit) this.limits.leave();
    const outcome = isCairnError(failure, 'LIMIT_REACHED') ? 'limited' : isFailed ? 'error' : 'ok';
    const durationMs = performance.now() - this.#start;
    const { ledger, requests } = this.#metering;
    const used = { operation, network: '', outcome, credits: this.credits, durationMs } as const;
    ledger.record(this.#owner, used);
    if (this.#isLogged) {
      const failed = isFailed ? errorOf(failure, status) : {};
      const { accountId, key } = this.#owner;
      // Fields stand before the spreads: V8 makes a new shape for each object in which one follows.
      requests.record(accountId, { key, requestId: request.id, origin: request.origin, ...used, ...failed });
    }
    ledger.addUse(this.#owner, { operation, bytesIn: this.bytesIn, bytesOut: this.bytesOut });
  }
}
