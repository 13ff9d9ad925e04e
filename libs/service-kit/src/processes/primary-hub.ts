import { errorText } from '@cairn/errors';
import type { Dependency } from '../health.ts';
import type { FromWorker, MetricsJson, ToWorker } from './messages.ts';
import type { SharedFunctions } from './process-group.ts';

/** Time in milliseconds for the answer of a worker process: a scrape must not wait for a process that hangs. */
const answerMs = 2_000;
/** Time in milliseconds for processes to handle a value that another one waits for. */
const informMs = 1_000;

/** Worker process as the hub reaches it. */
export interface HubMember {
  send(message: ToWorker): void;
}

type State = Extract<FromWorker, { readonly kind: 'state' }>;

/** Passes messages between the worker processes, keeps values for those that start later, and runs shared functions. */
export class PrimaryHub {
  readonly #shared: SharedFunctions;
  readonly #members = new Set<HubMember>();
  readonly #kept = new Map<string, unknown[]>();
  /** Waiting questions by member, since a process that has ended answers none. */
  readonly #asked = new Map<number, { readonly member: HubMember; readonly answer: (state?: State) => void }>();
  /** Processes that have not handled a value yet, by receipt. */
  readonly #receipts = new Map<number, { readonly waiting: Set<HubMember>; readonly onAll: () => void }>();
  readonly #lastMetrics = new Map<HubMember, MetricsJson>();
  readonly #onLost: (metrics: MetricsJson) => void;
  #nextId = 0;

  /** @param onLost called with the last metrics of a process that has ended */
  constructor({
    shared,
    onLost,
  }: { readonly shared: SharedFunctions; readonly onLost: (metrics: MetricsJson) => void }) {
    this.#shared = shared;
    this.#onLost = onLost;
  }

  /** Adds a process that reads messages, and sends it the kept values. */
  add(member: HubMember): void {
    this.#members.add(member);
    for (const [topic, values] of this.#kept)
      for (const value of values) member.send({ kind: 'published', topic, value });
  }

  remove(member: HubMember): void {
    if (!this.#members.delete(member)) return;
    for (const { member: asked, answer } of this.#asked.values()) if (asked === member) answer();
    for (const receipt of this.#receipts.keys()) this.#received(member, receipt);
    const metrics = this.#lastMetrics.get(member);
    this.#lastMetrics.delete(member);
    if (metrics !== undefined) this.#onLost(metrics);
  }

  receive(member: HubMember, message: FromWorker): void {
    switch (message.kind) {
      case 'publish':
        this.#publish(member, message);
        return;
      case 'inform':
        this.#inform(member, message);
        return;
      case 'received':
        this.#received(member, message.receipt);
        return;
      case 'call':
        void this.#call(member, message);
        return;
      case 'state':
        if (message.metrics.length > 0) this.#lastMetrics.set(member, message.metrics);
        this.#asked.get(message.id)?.answer(message);
        return;
      case 'open':
      case 'listening':
    }
  }

  /** Metrics of all processes. One that does not answer is represented by its last ones. */
  async metrics(): Promise<readonly MetricsJson[]> {
    const members = [...this.#members];
    const states = await Promise.all(members.map((member) => this.#ask(member, 'metrics')));
    return members.flatMap((member, index) => {
      const metrics = states[index]?.metrics ?? this.#lastMetrics.get(member);
      return metrics === undefined ? [] : [metrics];
    });
  }

  /** Dependencies of a process; `undefined` if it does not answer. */
  async dependenciesOf(member: HubMember): Promise<readonly Dependency[] | undefined> {
    return (await this.#ask(member, 'health'))?.dependencies;
  }

  #ask(member: HubMember, of: 'metrics' | 'health'): Promise<State | undefined> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const answer = (state?: State) => {
        clearTimeout(timer);
        this.#asked.delete(id);
        resolve(state);
      };
      const timer = setTimeout(answer, answerMs);
      this.#asked.set(id, { member, answer });
      member.send({ kind: 'ask', id, of });
    });
  }

  #publish(from: HubMember, { topic, value, keep }: Extract<FromWorker, { readonly kind: 'publish' }>): void {
    if (keep > 0) {
      const values = this.#kept.get(topic) ?? [];
      values.push(value);
      if (values.length > keep) values.splice(0, values.length - keep);
      this.#kept.set(topic, values);
    }
    for (const member of this.#members) if (member !== from) member.send({ kind: 'published', topic, value });
  }

  #inform(from: HubMember, { id, topic, value }: Extract<FromWorker, { readonly kind: 'inform' }>): void {
    const others = [...this.#members].filter((member) => member !== from);
    const receipt = this.#nextId++;
    const onAll = () => {
      clearTimeout(timer);
      this.#receipts.delete(receipt);
      from.send({ kind: 'result', id });
    };
    const timer = setTimeout(onAll, informMs);
    this.#receipts.set(receipt, { waiting: new Set(others), onAll });
    for (const member of others) member.send({ kind: 'published', topic, value, receipt });
    if (others.length === 0) onAll();
  }

  #received(member: HubMember, receipt: number): void {
    const entry = this.#receipts.get(receipt);
    if (entry?.waiting.delete(member) && entry.waiting.size === 0) entry.onAll();
  }

  async #call(
    from: HubMember,
    { id, name, parameters }: Extract<FromWorker, { readonly kind: 'call' }>,
  ): Promise<void> {
    try {
      const called = this.#shared[name];
      if (called === undefined) throw new Error(`there is no function ${name}`);
      from.send({ kind: 'result', id, value: await called(...(parameters as never[])) });
    } catch (error) {
      from.send({ kind: 'result', id, error: errorText(error) });
    }
  }
}
