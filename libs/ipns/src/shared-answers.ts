/** Messages between the processes of a service. */
export interface AnswerChannel {
  /** Sends a value to the other processes. */
  publish(topic: string, value: unknown): void;
  subscribe(topic: string, listener: (value: unknown) => unknown): void;
}

/** Answer about a name; `value` is absent if the search found nothing. */
export interface Answer<Value> {
  readonly value: Value | undefined;
  readonly untilMs: number;
}

export interface SharedAnswersOptions<Value> {
  readonly topic: string;
  /** Names whose last answer is remembered. */
  readonly namesMax: number;
  readonly channel: AnswerChannel | undefined;
  readonly now: () => number;
  /** Reports whether an answer of another process is the newer one. Default: the one that lives longer. */
  readonly isNewer?: (value: Value, than: Value) => boolean;
}

/**
 * Remembers answers of the network. All processes of a service use the same one, so that a name does not change back and forth
 * between the requests of one client.
 */
export class SharedAnswers<Value> {
  readonly #options: SharedAnswersOptions<Value>;
  readonly #answers = new Map<string, Answer<Value>>();

  constructor(options: SharedAnswersOptions<Value>) {
    this.#options = options;
    options.channel?.subscribe(options.topic, (message) => this.#receive(message as [string, Answer<Value>]));
  }

  /** Returns an answer that has not expired. */
  get(name: string): Answer<Value> | undefined {
    const answer = this.#answers.get(name);
    return answer !== undefined && answer.untilMs > this.#options.now() ? answer : undefined;
  }

  /** Remembers an answer. A search that found nothing does not replace a value that has not expired. */
  set(name: string, answer: Answer<Value>): void {
    if (!this.#store(name, answer)) return;
    this.#options.channel?.publish(this.#options.topic, [name, answer]);
  }

  #store(name: string, answer: Answer<Value>): boolean {
    if (answer.value === undefined && this.get(name)?.value !== undefined) return false;
    this.#answers.delete(name);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= this.#options.namesMax && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(name, answer);
    return true;
  }

  /** Two processes may search concurrently and find different answers: both keep the same one. */
  #receive([name, answer]: [string, Answer<Value>]): void {
    const own = this.get(name);
    if (own === undefined || this.#replaces(answer, own)) this.#store(name, answer);
  }

  #replaces(answer: Answer<Value>, own: Answer<Value>): boolean {
    const { isNewer } = this.#options;
    if (answer.value !== undefined && own.value !== undefined && isNewer !== undefined)
      return isNewer(answer.value, own.value);
    if (answer.value !== undefined && own.value === undefined) return true;
    return answer.untilMs > own.untilMs;
  }
}
