import type { LastSeen } from './resume-point.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { BlockTopic, Topic } from './topic.ts';

/** Subscriptions of one connection, for one message: what the message adds starts after its answer is sent. */
export class MessageSubscriptions {
  readonly #subscriptions: Subscriptions;
  readonly #added: string[] = [];

  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions;
  }

  async add(topic: Topic): Promise<string> {
    const id = await this.#subscriptions.add(topic);
    this.#added.push(id);
    return id;
  }

  async resume(id: string, topic: BlockTopic, last: LastSeen): Promise<string> {
    this.#added.push(await this.#subscriptions.resume(id, topic, last));
    return id;
  }

  remove(id: string): boolean {
    return this.#subscriptions.remove(id);
  }

  /** Starts the added subscriptions. Called when the answer is sent. */
  answered(): void {
    if (this.#added.length > 0) this.#subscriptions.start(this.#added);
  }
}
