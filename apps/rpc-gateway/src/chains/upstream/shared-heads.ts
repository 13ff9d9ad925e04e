import type { HeadFeed, NamedHeads } from '@cairn/proven-chain';
import type { ProcessGroup } from '@cairn/service-kit';

export interface SharedHeadsOptions {
  /** Feed of the leading process. */
  readonly feed: HeadFeed;
  readonly processes: ProcessGroup;
  /** Name of the network. */
  readonly network: string;
}

/** Heads that one process of the gateway follows for all of them, so that beacon nodes and upstreams get its requests once. */
export class SharedHeads implements HeadFeed {
  readonly #options: SharedHeadsOptions;
  #isStarted = false;
  #isClosed = false;

  constructor(options: SharedHeadsOptions) {
    this.#options = options;
  }

  start(onHeads: (heads: NamedHeads) => void): void {
    const { feed, processes, network } = this.#options;
    const topic = `heads of ${network}`;
    processes.subscribe(topic, (heads) => {
      if (!this.#isStarted && !this.#isClosed) onHeads(heads as NamedHeads);
    });
    processes.whenLeading(() => {
      if (this.#isClosed) return;
      this.#isStarted = true;
      feed.start((heads) => {
        onHeads(heads);
        processes.publish(topic, heads, { keep: 1 });
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isStarted) await this.#options.feed.close();
  }
}
