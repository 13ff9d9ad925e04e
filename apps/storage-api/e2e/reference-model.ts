import { createHash } from 'node:crypto';

/** Repeatable random numbers (mulberry32), so that a seed repeats a failure. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }
}

/** Exact expected state of one account. */
export interface AccountState {
  /** CIDs of recursive pins. */
  readonly pins: ReadonlySet<string>;
  /** Contents of the file tree by path. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export const emptyState: AccountState = { pins: new Set(), files: new Map() };

/** One command of an account, and its effect when it succeeds. */
export type Step =
  | { readonly kind: 'add'; readonly bytes: Buffer; readonly pin: boolean }
  | { readonly kind: 'pin'; readonly cid: string }
  | { readonly kind: 'unpin'; readonly cid: string }
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'copy'; readonly cid: string; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

/** Returns the state after a step; `cid` is the response of an add. */
export function after({ pins, files }: AccountState, step: Step, cid = ''): AccountState {
  switch (step.kind) {
    case 'add':
      return { files, pins: step.pin ? new Set([...pins, cid]) : pins };
    case 'pin':
      return { files, pins: new Set([...pins, step.cid]) };
    case 'unpin':
      return { files, pins: new Set([...pins].filter((pinned) => pinned !== step.cid)) };
    case 'write':
    case 'copy':
      return { pins, files: new Map([...files, [step.path, step.bytes]]) };
    case 'move': {
      const moved = new Map([...files].filter(([path]) => path !== step.from));
      const bytes = files.get(step.from);
      return { pins, files: bytes ? moved.set(step.to, bytes) : moved };
    }
    case 'remove':
      return { pins, files: new Map([...files].filter(([path]) => path !== step.path)) };
  }
}

/** Formats a state as one line, for comparison and messages. */
export function fingerprint({ pins, files }: AccountState): string {
  const contents = [...files].map(([path, bytes]) => `${path}=${createHash('sha256').update(bytes).digest('hex')}`);
  return JSON.stringify({ pins: [...pins].sort(), files: contents.sort() });
}

const pieceBytes = 1024;
const pieces = Array.from({ length: 12 }, (_, index) => Buffer.alloc(pieceBytes, `piece ${index} `));

/** Returns content of a few shared pieces: in chunks of {@link pieceBytes}, different files have common blocks. */
export function arbitraryContent(random: Random): Buffer {
  const count = 1 + random.below(6);
  return Buffer.concat([
    ...Array.from({ length: count }, () => random.pick(pieces)),
    Buffer.from(`${random.below(40)}`),
  ]);
}
