import { participants } from './committee.ts';
import type { LightClientUpdate } from './light-client-data.ts';
import type { BeaconClock } from './network.ts';
import { finalizedSlot, hasFinality, hasNextCommittee } from './validate-update.ts';

/** Reports whether one update is preferred to another (`is_better_update`). On ties the other one is kept. */
export function isBetterUpdate(clock: BeaconClock, one: LightClientUpdate, other: LightClientUpdate): boolean {
  const [ranks, otherRanks] = [ranksOf(clock, one), ranksOf(clock, other)];
  for (const [i, rank] of ranks.entries()) {
    const difference = rank - (otherRanks[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Criteria in order; the larger value is better. */
function ranksOf(clock: BeaconClock, update: LightClientUpdate): readonly number[] {
  const count = participants(update.syncAggregate).length;
  const isSupermajority = count * 3 >= update.syncAggregate.bits.length * 8 * 2;
  const attestedSlot = update.attestedHeader.beacon.slot;
  const isRelevant = hasNextCommittee(update) && clock.period(attestedSlot) === clock.period(update.signatureSlot);
  const isFinal = hasFinality(update);
  const isFinalInPeriod = isFinal && clock.period(finalizedSlot(update)) === clock.period(attestedSlot);
  return [
    Number(isSupermajority),
    isSupermajority ? 0 : count,
    Number(isRelevant),
    Number(isFinal),
    Number(isFinalInPeriod),
    count,
    -attestedSlot,
    -update.signatureSlot,
  ];
}
