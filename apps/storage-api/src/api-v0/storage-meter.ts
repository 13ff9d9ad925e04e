import type { Socket } from 'node:net';
import type { Principal } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { type AccountLimits, creditsOfTransfer, creditsOfWork, type Metering, type UsageOwner } from '@cairn/metering';
import { ApiError } from './api-error.ts';
import type { Command } from './command.ts';
import { priceOf } from './prices.ts';
import { Work } from './work.ts';

/** Transfers and work are looked at this often while they run, in milliseconds. */
const lookEveryMs = 250;

/** Blocks that are read ahead, and bytes that wait for the client. */
const underWayBytes = 32 * 1024 * 1024;

/** Bytes of connections that were counted for requests before. */
const counted = new WeakMap<Socket, { received: number; sent: number }>();

/** What one request costs and counts: its limits before and while it runs, its usage after. */
export class StorageMeter {
  readonly limits: AccountLimits;
  credits = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly work = new Work();
  readonly #metering: Metering;
  readonly #owner: UsageOwner;
  readonly #command: Command;
  readonly #socket: Socket;
  readonly #start = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #isInside = false;
  #isAdmitted = false;
  #isEnded = false;
  #charged = 0;

  constructor(metering: Metering, principal: Principal, command: Command, socket: Socket) {
    this.#metering = metering;
    const { limits, accountId } = metering.payment(principal);
    this.limits = limits;
    this.#owner = { accountId, key: principal.key.reference };
    this.#command = command;
    this.#socket = socket;
  }

  /** Counts the request before a byte of its body is read. @throws LIMIT_REACHED */
  async admit(): Promise<void> {
    const price = priceOf(this.#command);
    await this.limits.enter();
    if (this.#isEnded) {
      // The client went away while it waited: nobody else would give the place back.
      this.limits.leave();
      throw new ApiError(499, 'the client closed the connection');
    }
    this.#isInside = true;
    await this.limits.admit(price);
    await this.limits.requireBytes();
    this.#isAdmitted = true;
    this.credits = price;
  }

  /** Ends a request that goes on when the account has used up its bytes or credits. */
  watch(abort: (error: unknown) => void): void {
    if (this.#isEnded) return;
    this.#timer = setInterval(() => {
      this.#countBytes();
      this.#charge({ isEnded: false });
      this.limits.requireBytes()?.catch(abort);
      this.limits.requireCredits()?.catch(abort);
    }, lookEveryMs).unref();
  }

  /** Charges what the request has transferred and done so far, and was not charged for. */
  #charge({ isEnded }: { readonly isEnded: boolean }): void {
    const { bytesIn, bytesOut, work } = this;
    // While it runs, what was read may be on its way still.
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
    this.bytesIn += received;
    this.bytesOut += sent;
    this.limits.chargeBytes(received, sent);
  }

  /** Counts of the log line. */
  get logFields() {
    const { credits, bytesIn, bytesOut } = this;
    return { credits, bytesIn, bytesOut };
  }

  /** Counts what is left when the request has ended. */
  end({ isFailed, failure }: { readonly isFailed: boolean; readonly failure: unknown }): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
    if (this.#isInside) this.limits.leave();
    this.#countBytes();
    if (this.#isAdmitted) this.#charge({ isEnded: true });
    const isLimited = isCairnError(failure, 'LIMIT_REACHED');
    const { ledger } = this.#metering;
    ledger.record(this.#owner, {
      operation: this.#command.name,
      outcome: isLimited ? 'limited' : isFailed ? 'error' : 'ok',
      credits: this.credits,
      durationMs: performance.now() - this.#start,
    });
    const { bytesIn, bytesOut } = this;
    ledger.addUse(this.#owner, { operation: this.#command.name, bytesIn, bytesOut });
  }
}
