import type { EngineStep } from '@cairn/evm';
import type { TransactionTracer } from './transaction-tracer.ts';

/** geth's opcountTracer: counts steps. */
export class OpcodeCountTracer implements TransactionTracer {
  #count = 0;

  onStep(): void {
    this.#count++;
  }

  result(): string {
    return String(this.#count);
  }
}

/** geth's unigramTracer, bigramTracer and trigramTracer: counts sequences of one to three opcodes within a frame. */
export class OpcodeHistogram implements TransactionTracer {
  readonly #length: 1 | 2 | 3;
  readonly #counts = new Map<string, number>();
  #last: readonly string[];
  #depth = 0;

  constructor(length: 1 | 2 | 3) {
    this.#length = length;
    this.#last = emptyStart(length);
  }

  onStep({ name, depth }: EngineStep): void {
    const isSameFrame = this.#length === 1 || depth === this.#depth;
    this.#depth = depth;
    // Like geth, trigrams drop the opcodes of the previous frame and the first opcode of the new one.
    if (!isSameFrame && this.#length === 3) {
      this.#last = emptyStart(3);
      return;
    }
    if (isSameFrame) {
      const key = [...this.#last, name].join('-');
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
    this.#last = [...this.#last, name].slice(1);
  }

  result(): string {
    return JSON.stringify(Object.fromEntries(this.#counts));
  }
}

const emptyStart = (length: number): string[] => new Array<string>(length - 1).fill('');
