import type { CID } from '@cairn/cid';
import type { PartitionedDags } from './partition-dags.ts';
import type { Pin } from './pin-store.ts';
import type { DagSize } from './walk-dag.ts';
import type { PinManyOptions } from './write-session.ts';
import type { WriteSessionContext } from './write-session-context.ts';

/** Returns the pin that replaces `before`. In the same mode it keeps the date; without a new `addedAs` it keeps the old one. */
export function replacementPin(before: Pin | undefined, wanted: Omit<Pin, 'size'>): Omit<Pin, 'size'> {
  const { cid, mode, name, isRequested } = wanted;
  return {
    cid,
    mode,
    name,
    addedAs: wanted.addedAs ?? before?.addedAs,
    isRequested,
    createdAt: before?.mode === mode ? before.createdAt : wanted.createdAt,
  };
}

/**
 * Returns a pin with its size. Fields are listed, since V8 makes a new shape for each object in which a field follows a spread.
 * Bench: tools/bench/peers.mjs, add 4 KiB.
 */
export function sizedPin({ cid, mode, name, addedAs, isRequested, createdAt }: Omit<Pin, 'size'>, size: DagSize): Pin {
  return { cid, mode, name, addedAs, isRequested, createdAt, size };
}

/** Returns the recursive pins of an account on DAGs of one block, which replace the existing ones. */
export async function singleBlockPins(
  { pins, now }: Pick<WriteSessionContext, 'pins' | 'now'>,
  account: string,
  dags: PartitionedDags['singleBlock'],
  { name, addedAs }: PinManyOptions,
): Promise<Pin[]> {
  const created: Pin[] = [];
  const find = (cid: CID) => (pins.peek ? pins.peek(account, cid) : pins.get(account, cid));
  for (const { cid, bytes } of dags) {
    const wanted = { cid, name, addedAs: addedAs?.get(cid.toString()), mode: 'recursive', createdAt: now() } as const;
    created.push(sizedPin(replacementPin(await find(cid), wanted), { blocks: 1, bytes }));
  }
  return created;
}
