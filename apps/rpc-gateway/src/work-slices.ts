import { eventLoop } from './event-loop.ts';
import type { RequestContext } from './request-context.ts';

/** Time in milliseconds for which a method works before other requests are served. A single step may take longer. */
const sliceMs = 5;

/** Time slices of a method that reads many blocks. Short ranges are answered within the first slice, without a promise. */
export class WorkSlices {
  readonly #context: Pick<RequestContext, 'signal'>;
  #end = performance.now() + sliceMs;

  constructor(context: Pick<RequestContext, 'signal'>) {
    this.#context = context;
  }

  /**
   * Returns a promise for the next slice if this one is over. Awaited before each step.
   * @throws the reason of the signal, as a rejection, if the client has disconnected
   */
  next(): Promise<void> | undefined {
    return performance.now() < this.#end ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    do await eventLoop.nextSlice();
    while (eventLoop.isSliceOver);
    this.#context.signal.throwIfAborted();
    this.#end = performance.now() + sliceMs;
  }
}
