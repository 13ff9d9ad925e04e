import type { CID } from '@cairn/cid';
import type { MessageSender } from '../message-sender.ts';
import type { PeerName } from '../transport.ts';

/** Want of a peer. */
export interface ServerWant {
  readonly key: string;
  readonly cid: CID;
  readonly ledger: Ledger;
  type: 'block' | 'have';
  priority: number;
  /** Requests an answer for an absent block. False after that answer. */
  needsDontHave: boolean;
}

/** Traffic with a peer. */
export interface Account {
  sentBytes: number;
  receivedBytes: number;
  sentBlocks: number;
  receivedBlocks: number;
}

/** Unit of received bytes below which a peer counts as new, so that its debt grows slowly. */
const newPeerBytes = 1024 * 1024;

/** Wants of one peer and its place in the queue. */
export class Ledger {
  readonly peer: PeerName;
  readonly sender: MessageSender;
  readonly account: Account;
  readonly wants = new Map<string, ServerWant>();
  /** Wants to answer, in order of arrival. */
  readonly ready = new Map<string, ServerWant>();
  /** Blocks that were put while the message in flight was collected: its read may have missed them. */
  readonly notified = new Set<string>();
  /** Start of the message in flight. */
  sendingSince: number | undefined;
  /** Served bytes over the weight: the peer with the lowest value is served next (weighted fair queueing). */
  virtualBytes = 0;
  failures = 0;
  isClosed = false;

  constructor(peer: PeerName, sender: MessageSender, account: Account) {
    this.peer = peer;
    this.sender = sender;
    this.account = account;
  }

  /** Counts a sent message. A peer that took more than it gave has a lower weight, but never none. */
  charge(bytes: number): void {
    const debt = this.account.sentBytes / (this.account.receivedBytes + newPeerBytes);
    this.virtualBytes += bytes * (1 + Math.log2(1 + debt));
  }
}
