import { checkDeadline, type Deadline, type EngineMessage } from '../call-engine.ts';
import { gasBudgetExceeded } from '../gas-budget.ts';
import type { Frame, Meter } from './frame.ts';

const gasBetweenLooks = 200_000;

/** Enforces the gas budget or the deadline of a message on its frames. */
export class ClockGuard implements Meter {
  readonly isPaced: boolean;
  readonly #budget: number | undefined;
  readonly #deadline: Deadline | undefined;
  /** Gas that all frames together may use before they call {@link renew}. */
  readonly #allowance: number | undefined;
  readonly #running: readonly { readonly frame: Frame }[];

  /** @param running the frames, the innermost last */
  constructor({ budget, deadline }: EngineMessage, running: readonly { readonly frame: Frame }[]) {
    this.#budget = budget;
    this.#deadline = deadline;
    this.isPaced = budget === undefined && deadline !== undefined;
    this.#allowance = budget ?? (deadline && (deadline.gasBetween ?? gasBetweenLooks));
    this.#running = running;
  }

  renew(): void {
    if (this.#budget !== undefined) throw gasBudgetExceeded;
    this.lookAtClock();
    let left = -(this.#allowance ?? 0);
    for (let index = this.#running.length - 1; index >= 0; index--) {
      const { frame } = this.#running[index] as { readonly frame: Frame };
      left += frame.gas;
      frame.floor = Math.max(0, left);
    }
  }

  /**
   * Gas below which a frame calls {@link renew}. It keeps the gas of all frames between two clock checks within the
   * allowance.
   */
  floorOf(from: Frame | undefined, given: number): number {
    const allowance = this.#allowance;
    if (allowance === undefined) return 0;
    return Math.max(0, given - (from === undefined ? allowance : from.gas + given - from.floor));
  }

  /** @throws EXECUTION_TIMEOUT */
  lookAtClock(): void {
    checkDeadline(this.#deadline);
  }
}
