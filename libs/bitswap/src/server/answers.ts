import type { BitswapLimits } from '../limits.ts';
import type { BlockSource, ServingPolicy } from '../ports.ts';
import { prefixFromCid } from '../wire/cid-prefix.ts';
import { entryBytesMax } from '../wire/encode-message.ts';
import type { Payload, Presence } from '../wire/message.ts';
import type { Ledger, ServerWant } from './ledger.ts';
import type { PresenceCache } from './presence-cache.ts';

/** Content of the next message to a peer and its effect on the wantlist. */
export interface Answers {
  readonly payloads: Payload[];
  readonly presences: Presence[];
  /** Bytes of the payloads. */
  bytes: number;
  /** Wants that end when the message is sent. */
  readonly done: ServerWant[];
  /** Wants of absent and refused blocks, which wait for a put or a pin. */
  readonly absent: ServerWant[];
}

interface Sources {
  readonly source: BlockSource;
  readonly policy: ServingPolicy;
  readonly cache: PresenceCache;
  readonly limits: BitswapLimits;
}

/** Decides the next message for a peer with at most one read of lengths and one read of blocks. */
export async function collectAnswers(ledger: Ledger, sources: Sources): Promise<Answers> {
  const wants = firstWants(ledger, sources.limits.readMax);
  const [allowed, sizes] = await Promise.all([
    sources.policy.mayServe(
      wants.map(({ cid }) => cid),
      ledger.peer,
    ),
    readSizes(wants, sources),
  ]);
  const answers: Answers = { payloads: [], presences: [], bytes: 0, done: [], absent: [] };
  const chosen: ServerWant[] = [];
  let bytes = 0;
  for (const [at, want] of wants.entries()) {
    const size = sizes[at];
    // A refused block may be pinned later, so its want waits like one of an absent block.
    if (allowed[at] !== true || size === undefined) wait(answers, want);
    else if (size > sources.limits.blockBytesMax) deny(answers, want);
    else if (want.type === 'have' && size > sources.limits.inlineBytesMax) {
      answers.presences.push({ cid: want.cid, has: true });
      answers.done.push(want);
    } else {
      const cost = size + entryBytesMax(want.cid.bytes.length);
      if (bytes + cost > sources.limits.batchBytesMax && chosen.length > 0) continue;
      bytes += cost;
      chosen.push(want);
    }
  }
  await addPayloads(answers, chosen, sources);
  return answers;
}

function firstWants(ledger: Ledger, max: number): ServerWant[] {
  const wants: ServerWant[] = [];
  for (const want of ledger.ready.values()) {
    if (wants.length >= max) break;
    wants.push(want);
  }
  return wants.sort((a, b) => b.priority - a.priority);
}

async function readSizes(wants: readonly ServerWant[], { cache, source }: Sources) {
  const sizes = wants.map(({ key }) => cache.get(key));
  const unknown = wants.filter((_, at) => sizes[at] === 'unknown');
  if (unknown.length === 0) return sizes as (number | undefined)[];
  const read = await source.sizes(unknown.map(({ cid }) => cid));
  for (const [at, { key }] of unknown.entries()) cache.set(key, read[at]);
  let next = 0;
  return sizes.map((size) => (size === 'unknown' ? read[next++] : size));
}

async function addPayloads(answers: Answers, chosen: readonly ServerWant[], { source, cache }: Sources): Promise<void> {
  if (chosen.length === 0) return;
  const blocks = await source.blocks(chosen.map(({ cid }) => cid));
  for (const [at, want] of chosen.entries()) {
    const bytes = blocks[at];
    if (bytes === undefined) {
      // Deleted after its length was read.
      cache.delete(want.key);
      wait(answers, want);
      continue;
    }
    answers.payloads.push({ prefix: prefixFromCid(want.cid), bytes });
    answers.bytes += bytes.length;
    answers.done.push(want);
  }
}

function wait(answers: Answers, want: ServerWant): void {
  if (want.needsDontHave) answers.presences.push({ cid: want.cid, has: false });
  answers.absent.push(want);
}

function deny(answers: Answers, want: ServerWant): void {
  if (want.needsDontHave) answers.presences.push({ cid: want.cid, has: false });
  answers.done.push(want);
}
