import { CairnError } from '@cairn/errors';
import type { Registry } from 'prom-client';
import type { Dependency } from '../health.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import type { ProcessGroup, PublishOptions } from './process-group.ts';

/** Channel to the primary process. */
export interface PrimaryChannel {
  send(message: FromWorker, onSent: () => void): void;
  onMessage(listener: (message: ToWorker) => void): void;
}

/** Channel of this process, which a primary process has started. */
export const primaryChannel: PrimaryChannel = {
  // Without a channel the primary process has ended, and this process ends too.
  send: (message, onSent) => (process.connected ? process.send?.(message, undefined, undefined, onSent) : onSent()),
  onMessage: (listener) => process.on('message', listener),
};

/** State that the primary process asks for. */
export interface WorkerState {
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly dependencies: () => readonly Dependency[];
}

interface WaitingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The group as one of its worker processes sees it, over the channel to the primary process. */
export class WorkerGroup implements ProcessGroup {
  readonly count: number;
  readonly #channel: PrimaryChannel;
  readonly #listeners = new Map<string, ((value: unknown) => unknown)[]>();
  /** Published values of topics that have no listener yet. */
  readonly #early = new Map<string, unknown[]>();
  readonly #calls = new Map<number, WaitingCall>();
  readonly #starts: (() => void)[] = [];
  #leads: boolean;
  #nextCall = 0;
  #state: WorkerState | undefined;
  #onDrain: (options: { readonly lingers: boolean }) => void = () => process.exit(0);

  constructor({ count, leads }: Pick<WorkerStart, 'count' | 'leads'>, channel: PrimaryChannel) {
    this.count = count;
    this.#leads = leads;
    this.#channel = channel;
    channel.onMessage((message) => this.#receive(message));
    this.#send({ kind: 'open' });
  }

  whenLeading(start: () => void): void {
    if (this.#leads) start();
    else this.#starts.push(start);
  }

  publish(topic: string, value: unknown, { keep = 0 }: PublishOptions = {}): void {
    this.#send({ kind: 'publish', topic, value, keep });
  }

  async inform(topic: string, value: unknown): Promise<void> {
    await this.#ask((id) => ({ kind: 'inform', id, topic, value }));
  }

  subscribe(topic: string, listener: (value: unknown) => unknown): void {
    const listeners = this.#listeners.get(topic);
    if (listeners !== undefined) return void listeners.push(listener);
    this.#listeners.set(topic, [listener]);
    for (const value of this.#early.get(topic) ?? []) listener(value);
    this.#early.delete(topic);
  }

  call(name: string, ...parameters: readonly unknown[]): Promise<unknown> {
    return this.#ask((id) => ({ kind: 'call', id, name, parameters }));
  }

  #ask(message: (id: number) => FromWorker): Promise<unknown> {
    const id = this.#nextCall++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#send(message(id));
    });
  }

  /** Registers what the primary process asks for, and what ends the process. */
  serve(state: WorkerState, onDrain: (options: { readonly lingers: boolean }) => void): void {
    this.#state = state;
    this.#onDrain = onDrain;
  }

  /** Reports that this process listens. */
  listening(port: number): void {
    this.#send({ kind: 'listening', port });
  }

  /** Sends the last counts before the process ends, so that totals of the service do not fall. */
  async reportLast(): Promise<void> {
    const message = await this.#stateMessage(-1, 'metrics');
    await new Promise<void>((resolve) => this.#channel.send(message, resolve));
  }

  #send(message: FromWorker): void {
    this.#channel.send(message, () => {});
  }

  #receive(message: ToWorker): void {
    switch (message.kind) {
      case 'lead':
        this.#leads = true;
        for (const start of this.#starts.splice(0)) start();
        return;
      case 'drain':
        this.#onDrain({ lingers: message.lingers });
        return;
      case 'published':
        void this.#deliver(message);
        return;
      case 'result':
        this.#finish(message);
        return;
      case 'ask':
        void this.#stateMessage(message.id, message.of).then((answer) => this.#send(answer));
    }
  }

  async #deliver({ topic, value, receipt }: Extract<ToWorker, { readonly kind: 'published' }>): Promise<void> {
    const listeners = this.#listeners.get(topic);
    if (listeners === undefined && receipt === undefined) {
      const early = this.#early.get(topic) ?? [];
      early.push(value);
      this.#early.set(topic, early.slice(-earlyMax));
    }
    try {
      await Promise.all((listeners ?? []).map((listener) => listener(value)));
    } finally {
      if (receipt !== undefined) this.#send({ kind: 'received', receipt });
    }
  }

  #finish({ id, value, error }: Extract<ToWorker, { readonly kind: 'result' }>): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(value);
    else
      call?.reject(
        new CairnError('PROCESS_CALL_FAILED', `The primary process failed a call: ${error}`, { hint: 'Retry it.' }),
      );
  }

  async #stateMessage(id: number, of: 'metrics' | 'health'): Promise<FromWorker> {
    const metrics = of === 'metrics' ? await this.#state?.registry.getMetricsAsJSON() : [];
    const dependencies = of === 'health' ? this.#state?.dependencies() : [];
    return { kind: 'state', id, metrics: metrics ?? [], dependencies: dependencies ?? [] };
  }
}

/** Values that wait for the listener of their topic. */
const earlyMax = 10_000;
