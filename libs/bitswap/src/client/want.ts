import type { CID } from '@cairn/cid';
import { blockKey } from '../block-key.ts';
import type { RemotePeer } from './remote-peer.ts';
import type { Session } from './session.ts';

export type Peer = RemotePeer<Want>;
export type PeerSession = Session<Peer>;

/**
 * State of a want at one peer. `asked-have` and `asked-block` wait for an answer until `until`; `has` is a positive answer;
 * `lacks` (negative answer) and `late` (no answer) allow a new request after `until`.
 */
export interface View {
  state: 'asked-have' | 'asked-block' | 'has' | 'lacks' | 'late';
  since: number;
  until: number;
  /** Requests so far. */
  tries: number;
}

/** Block that one or more fetches wait for. */
export class Want {
  readonly cid: CID;
  readonly key: string;
  readonly createdAt = performance.now();
  readonly views = new Map<Peer, View>();
  /** Sessions with the number of their fetches that wait. */
  readonly #sessions = new Map<PeerSession, number>();
  #waiters = 0;
  /** Waiters that give a lent buffer back. */
  #borrowers = 0;
  /** The block arrived, or the want has ended. */
  isArrived = false;
  searchedAt = Number.NEGATIVE_INFINITY;
  readonly bytes: Promise<Uint8Array>;
  resolve: (bytes: Uint8Array) => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor(cid: CID) {
    this.cid = cid;
    this.key = blockKey(cid);
    this.bytes = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A want without a waiter may still be rejected when the engine closes.
    this.bytes.catch(() => {});
  }

  /** Reports whether a peer was asked for the bytes and has time left to answer. */
  get isRequested(): boolean {
    for (const { state } of this.views.values()) if (state === 'asked-block') return true;
    return false;
  }

  get hasWaiters(): boolean {
    return this.#sessions.size > 0;
  }

  /** Sessions that wait for the block. */
  sessions(): Iterable<PeerSession> {
    return this.#sessions.keys();
  }

  isOf(session: PeerSession): boolean {
    return this.#sessions.has(session);
  }

  /** Reports whether the bytes may stay in a lent buffer: their only reader gives it back. */
  get mayLend(): boolean {
    return this.#waiters === 1 && this.#borrowers === 1;
  }

  join(session: PeerSession, { takesLent }: { readonly takesLent: boolean }): void {
    this.#waiters++;
    if (takesLent) this.#borrowers++;
    this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
  }

  leave(session: PeerSession, { takesLent }: { readonly takesLent: boolean }): void {
    this.#waiters--;
    if (takesLent) this.#borrowers--;
    const waiters = this.#sessions.get(session) ?? 0;
    if (waiters > 1) this.#sessions.set(session, waiters - 1);
    else this.#sessions.delete(session);
  }

  /** Peers of all sessions that wait for the block. */
  candidates(): Set<Peer> {
    const peers = new Set<Peer>();
    for (const session of this.#sessions.keys())
      for (const peer of session.peers)
        if (peer.isDropped) session.peers.delete(peer);
        else peers.add(peer);
    return peers;
  }
}
