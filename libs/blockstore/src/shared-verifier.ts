// Hot path of every download of a large file by several processes: row `cat 1 GiB` of tools/bench/peers.mjs.
import { type BlockVerifier, createRememberingVerifier, verifyBytesInBackground } from '@cairn/cid';

/** Processes of a service, as verifiers use them. */
export interface VerifierGroup {
  readonly count: number;
  /** Sends a value to the other processes, and the newest `keep` ones to those that start later. */
  publish(topic: string, value: unknown, options: { readonly keep: number }): void;
  subscribe(topic: string, listener: (value: unknown) => unknown): void;
}

export interface SharedVerifierOptions {
  /** Resolves with 32 random bytes, the same for all processes of the group. Not called for a group of one. */
  readonly key: () => Promise<unknown>;
  /** Verifies blocks that no process has verified. Default: `verifyBytesInBackground`. */
  readonly verify?: BlockVerifier;
}

const topic = 'codes of verified blocks';
const codeBytes = 16;

/** Milliseconds that codes wait for others, so that a message has many. */
const waitMs = 20;

/** Codes of a message. */
const codesMax = 256;

/** Messages that a process gets that starts later: at most 1 MiB. */
const kept = 256;

/**
 * Creates a verifier as `createRememberingVerifier` does, for a process of a group. A block that one of them has hashed is recognized
 * by all of them. Without a key from the group, each block is hashed.
 */
export function createSharedVerifier(
  group: VerifierGroup,
  { key, verify = verifyBytesInBackground }: SharedVerifierOptions,
): BlockVerifier {
  if (group.count === 1) return createRememberingVerifier({ verify });
  let verifier = verify;
  key().then(
    (value) => {
      if (!(value instanceof Uint8Array) || value.length !== 32) return;
      const exchange = {
        key: value,
        send: sender((codes) => group.publish(topic, codes, { keep: kept })),
        receive: (listener: (codes: Uint8Array) => void) =>
          group.subscribe(topic, (codes) => codes instanceof Uint8Array && listener(codes)),
      };
      verifier = createRememberingVerifier({ verify, exchange });
    },
    () => {},
  );
  return (cid, bytes) => verifier(cid, bytes);
}

/** Collects codes for a moment and sends them together. */
function sender(send: (codes: Uint8Array) => void): (code: Uint8Array) => void {
  let waiting: Uint8Array[] = [];
  const flush = () => {
    const codes = waiting;
    waiting = [];
    if (codes.length > 0) send(Buffer.concat(codes, codes.length * codeBytes));
  };
  return (code) => {
    if (waiting.push(code) === 1) setTimeout(flush, waitMs).unref();
    if (waiting.length === codesMax) flush();
  };
}
