import { type Service, SupervisedProcess } from './supervised-process.ts';

/** Runs services as processes: restarts a service that ends, and stops all together. */
export class Supervisor {
  readonly #processes: SupervisedProcess[] = [];
  #isStopping = false;
  #exitCode = 0;
  #onEnd: (() => void) | undefined;

  /**
   * Starts a service and resolves with its port when it is ready. Restarts it after that when it ends by itself.
   * @throws Error when it ends, or is not ready in time
   */
  async start(service: Service): Promise<number> {
    const supervised = new SupervisedProcess(service, { onStopped: (isClean) => this.#onStopped(isClean) });
    this.#processes.push(supervised);
    return await supervised.start();
  }

  /** Replaces the process of a service, and resolves with whether the new one is ready. @throws Error when it cannot start */
  async restart(name: string): Promise<boolean> {
    const supervised = this.#processes.find((each) => each.name === name);
    return (await supervised?.restart()) ?? false;
  }

  /** Resolves with the exit code when every service has stopped. */
  async wait(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#onEnd = resolve;
      this.#check();
    });
    return this.#exitCode;
  }

  /** Asks all services to stop; a second call kills them. */
  stop(): void {
    const signal = this.#isStopping ? 'SIGKILL' : 'SIGTERM';
    this.#isStopping = true;
    for (const supervised of this.#processes) supervised.stop(signal);
    this.#check();
  }

  #onStopped(isClean: boolean): void {
    if (!isClean) this.#exitCode = 1;
    this.#check();
  }

  #check(): void {
    if (this.#isStopping && this.#processes.every(({ isRunning }) => !isRunning)) this.#onEnd?.();
  }
}
