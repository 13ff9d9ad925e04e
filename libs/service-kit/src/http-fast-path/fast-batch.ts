// Hot path of all small requests: the rows eth_chainId, eth_call and cat 4 KiB of tools/bench/peers.mjs.
import { runBatch } from '@cairn/platform';

/** A connection whose request is answered in a batch. */
export interface BatchMember {
  /** Answers the received request, or begins to. */
  answerReceived(): void;
  /** Sends the answer, if there is one. */
  sendAnswer(): void;
}

let received: BatchMember[] = [];
let answered: BatchMember[] = [];
let isScheduled = false;

/** Has the request of a connection answered at the end of this turn of the event loop. */
export function answerInBatch(member: BatchMember): void {
  received.push(member);
  schedule();
}

/** Has the answer of a connection sent at the end of this turn of the event loop. */
export function sendInBatch(member: BatchMember): void {
  answered.push(member);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(run);
}

function answerAll(): void {
  const requests = received;
  received = [];
  for (const member of requests) member.answerReceived();
}

/**
 * Answers the requests that one turn of the event loop received, then sends the answers. Receiving, answering and sending run different
 * code, which stays in the caches of the processor during each step. A send wakes its client, which on a machine of few cores
 * competes with requests that are not answered yet.
 */
function run(): void {
  try {
    // Further requests that a connection sent together with the first one follow in further rounds.
    while (received.length > 0 || answered.length > 0) {
      runBatch(answerAll);
      const answers = answered;
      answered = [];
      for (const member of answers) member.sendAnswer();
    }
  } finally {
    isScheduled = false;
  }
}
