import type { ServerResponse } from 'node:http';

export interface LieCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Former results of the proxy, for lies that replay. */
export interface LieMemory {
  /** A former result of the method for other parameters. */
  other(call: LieCall): unknown;
  /** The first result of the method. */
  first(call: LieCall): unknown;
  aHashOtherThan(hash: string): string;
}

export interface Lie {
  readonly name: string;
  readonly about: 'state' | 'blocks' | 'receipts' | 'protocol' | 'transport';
  readonly isProvable?: boolean;
  /** The answer is delayed or odd, but right. */
  readonly isHonest?: boolean;
  /** The answer takes long or never ends. */
  readonly isSlow?: boolean;
  readonly isHead?: boolean;
  /** The content is denied: a client of this upstream alone cannot know that it exists. */
  readonly withholds?: boolean;
  readonly methods?: readonly string[];
  result?(result: unknown, call: LieCall, memory: LieMemory): unknown;
  answer?(answer: object, call: LieCall): unknown;
  answers?(answers: readonly object[], calls: readonly LieCall[]): unknown;
  text?(text: string): string;
  respond?(response: ServerResponse, text: string): unknown;
}

export declare const lies: readonly Lie[];
