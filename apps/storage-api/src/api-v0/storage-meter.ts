import type { Socket } from 'node:net';
import type { Principal } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { type AccountLimits, creditsOfTransfer, creditsOfWork, type Metering, type UsageOwner } from '@cairn/metering';
import { errorOf, type MeterOutcome } from '@cairn/service-kit';
import { ApiError } from './api-error.ts';
import type { Command } from './command.ts';
import { priceOf } from './prices.ts';
import { Work } from './work.ts';

/** Milliseconds between two checks of running transfers and work. */
const checkEveryMs = 250;

/** Bytes of blocks that are read ahead and of bytes that wait for the client. */
const underWayBytes = 32 * 1024 * 1024;

/** Bytes of connections that earlier requests have counted. */
const counted = new WeakMap<CountedSocket, { received: number; sent: number }>();

/** Name and scope of a command, by which it is priced and counted. */
export type MeteredCommand = Pick<Command, 'name' | 'scope'>;

/** Connection whose bytes are counted. */
type CountedSocket = Pick<Socket, 'bytesRead' | 'bytesWritten'>;

/** Cost and counts of one request: its limits before and while it runs, its usage after. */
export class StorageMeter {
  readonly limits: AccountLimits;
  credits = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly work = new Work();
  readonly #metering: Metering;
  readonly #owner: UsageOwner;
  readonly #command: MeteredCommand;
  readonly #socket: CountedSocket;
  readonly #start = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** False for requests that a service pays. */
  readonly #isLogged: boolean;
  #hasPermit = false;
  #isAdmitted = false;
  #isEnded = false;
  #charged = 0;
  /** Fetched bytes that are counted. */
  #fetched = 0;

  constructor(metering: Metering, principal: Principal, command: MeteredCommand, socket: CountedSocket) {
    this.#metering = metering;
    const { limits, accountId } = metering.payment(principal);
    this.limits = limits;
    this.#owner = { accountId, key: principal.key.reference };
    this.#command = command;
    this.#isLogged = principal.payer === undefined;
    this.#socket = socket;
  }

  /** Counts the request before a byte of its body is read. @throws LIMIT_REACHED */
  async admit(): Promise<void> {
    const price = priceOf(this.#command);
    await this.limits.enter();
    if (this.#isEnded) {
      // The client closed the connection while the request waited, so the permit is returned here.
      this.limits.leave();
      throw new ApiError(499, 'the client closed the connection');
    }
    this.#hasPermit = true;
    await this.limits.admit(price);
    await this.limits.requireBytes();
    this.#isAdmitted = true;
    this.credits = price;
  }

  /** Gives back the permit of a request that {@link admit} refused, and records nothing: another meter admits it again. */
  abandon(): void {
    this.#isEnded = true;
    if (this.#hasPermit) this.limits.leave();
  }

  /** Aborts a running request when the account has used up its bytes or credits. */
  watch(abort: (error: unknown) => void): void {
    if (this.#isEnded) return;
    this.#timer = setInterval(() => {
      this.#countBytes();
      this.#charge({ isEnded: false });
      this.limits.requireBytes()?.catch(abort);
      this.limits.requireCredits()?.catch(abort);
    }, checkEveryMs).unref();
  }

  /** Charges transfers and work since the last charge. */
  #charge({ isEnded }: { readonly isEnded: boolean }): void {
    const { bytesIn, bytesOut, work } = this;
    // While the request runs, bytes that were read may still be on their way.
    const beyond = work.bytes - bytesIn - bytesOut - (isEnded ? 0 : underWayBytes);
    const due = creditsOfTransfer(bytesIn) + creditsOfTransfer(bytesOut) + creditsOfWork(beyond);
    const added = Math.max(0, due - this.#charged);
    if (added > 0) this.limits.charge(added);
    this.#charged += added;
    this.credits += added;
  }

  #countBytes(): void {
    const { bytesRead, bytesWritten } = this.#socket;
    const before = counted.get(this.#socket) ?? { received: 0, sent: 0 };
    const received = bytesRead - before.received;
    const sent = bytesWritten - before.sent;
    counted.set(this.#socket, { received: bytesRead, sent: bytesWritten });
    // Blocks from other nodes arrive for the account as its uploads do.
    const fetched = this.work.fetchedBytes - this.#fetched;
    this.#fetched += fetched;
    this.bytesIn += received + fetched;
    this.bytesOut += sent;
    this.limits.chargeBytes(received + fetched, sent);
  }

  /** Counts for the log line. */
  get logFields() {
    const { credits, bytesIn, bytesOut } = this;
    return { credits, bytesIn, bytesOut };
  }

  /** Ends the request and counts the remaining usage. */
  end({
    isFailed,
    failure,
    status,
    request,
  }: Pick<MeterOutcome, 'isFailed' | 'failure'> & Partial<Pick<MeterOutcome, 'status' | 'request'>>): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
    if (this.#hasPermit) this.limits.leave();
    this.#countBytes();
    if (this.#isAdmitted) this.#charge({ isEnded: true });
    const isLimited = isCairnError(failure, 'LIMIT_REACHED');
    const { ledger, requests } = this.#metering;
    const used = {
      operation: this.#command.name,
      network: '',
      outcome: isLimited ? 'limited' : isFailed ? 'error' : 'ok',
      credits: this.credits,
      durationMs: performance.now() - this.#start,
    } as const;
    ledger.record(this.#owner, used);
    if (this.#isLogged && request !== undefined) {
      const { accountId, key } = this.#owner;
      const failed = isFailed ? errorOf(failure, status) : {};
      // Fields stand before the spreads: V8 makes a new shape for each object in which one follows.
      requests.record(accountId, { key, requestId: request.id, origin: request.origin, ...used, ...failed });
    }
    const { bytesIn, bytesOut } = this;
    ledger.addUse(this.#owner, { operation: this.#command.name, bytesIn, bytesOut });
  }
}
