import { isSignedBy, participants } from './committee.ts';
import { updateInvalid } from './errors.ts';
import type { LightClientHeader, LightClientState, LightClientUpdate, SyncCommittee } from './light-client-data.ts';
import type { BeaconClock } from './network.ts';
import { beaconHeaderRoot, executionHeaderRoot, signingRoot, syncCommitteeRoot } from './roots.ts';
import { areEqual, isValidBranch, isZero } from './ssz.ts';

/** Generalized indices (consensus-specs, altair, capella and electra light client). */
const executionIndex = 25;
const indices = {
  altair: { finalizedRoot: 105, currentSyncCommittee: 54, nextSyncCommittee: 55 },
  electra: { finalizedRoot: 169, currentSyncCommittee: 86, nextSyncCommittee: 87 },
} as const;

/** Generalized indices in the state of a slot. */
export function stateIndices(clock: BeaconClock, slot: number): (typeof indices)['altair' | 'electra'] {
  return clock.has(slot, 'electra') ? indices.electra : indices.altair;
}

/** Verifies that the execution header is in the body of the beacon block. */
export function isValidHeader(clock: BeaconClock, { beacon, execution, executionBranch }: LightClientHeader): boolean {
  if (!clock.has(beacon.slot, 'capella')) return false;
  const isDeneb = clock.has(beacon.slot, 'deneb');
  if (!isDeneb && (execution.blobGasUsed || execution.excessBlobGas)) return false;
  return isValidBranch(executionHeaderRoot(execution, isDeneb), executionBranch, executionIndex, beacon.bodyRoot);
}

/** An absent header is sent as one of zeros where a field is required. */
export function hasFinality({ finalizedHeader, finalityBranch }: LightClientUpdate): boolean {
  return finalizedHeader !== undefined && finalityBranch !== undefined && !finalityBranch.every(isZero);
}

/** An absent committee is sent as one of zeros where a field is required. */
export function hasNextCommittee({ nextSyncCommittee, nextSyncCommitteeBranch }: LightClientUpdate): boolean {
  return (
    nextSyncCommittee !== undefined && nextSyncCommitteeBranch !== undefined && !nextSyncCommitteeBranch.every(isZero)
  );
}

/** Slot of the finalized header; 0 without finality. */
export function finalizedSlot(update: LightClientUpdate): number {
  return hasFinality(update) ? (update.finalizedHeader as LightClientHeader).beacon.slot : 0;
}

function require(condition: boolean, reason: string): void {
  if (!condition) throw updateInvalid(reason);
}

/**
 * Validates an update against the state (`validate_light_client_update`).
 * @throws UPDATE_INVALID with the broken rule
 */
export async function validateUpdate(
  clock: BeaconClock,
  state: LightClientState,
  update: LightClientUpdate,
  currentSlot: number,
): Promise<void> {
  const { attestedHeader, syncAggregate, signatureSlot } = update;
  const attestedSlot = attestedHeader.beacon.slot;
  require(participants(syncAggregate).length >= 1, 'no member of the sync committee signed');
  require(signatureSlot <= currentSlot, `the signature slot ${signatureSlot} is after the current slot ${currentSlot}`);
  require(signatureSlot > attestedSlot, 'the signature slot is not after the attested slot');
  require(attestedSlot >= finalizedSlot(update), 'the finalized slot is after the attested slot');
  require(isValidHeader(clock, attestedHeader), 'the attested execution header is not in the beacon block');

  const storePeriod = clock.period(state.finalizedHeader.beacon.slot);
  const signaturePeriod = clock.period(signatureSlot);
  const isNextKnown = state.nextSyncCommittee !== undefined;
  require(signaturePeriod === storePeriod ||
    (isNextKnown &&
      signaturePeriod ===
        storePeriod +
          1), `the signature period ${signaturePeriod} does not follow the period ${storePeriod} of the store`);
  const attestedPeriod = clock.period(attestedSlot);
  const bringsNext = !isNextKnown && hasNextCommittee(update) && attestedPeriod === storePeriod;
  require(attestedSlot > state.finalizedHeader.beacon.slot ||
    bringsNext, 'the attested slot is not after the finalized slot of the store');
  validateFinality(clock, update);
  validateNextCommittee(clock, state, update, attestedPeriod === storePeriod);

  const committee = signaturePeriod === storePeriod ? state.currentSyncCommittee : state.nextSyncCommittee;
  const message = signingRoot(attestedHeader.beacon, clock.domain(signatureSlot));
  require(await isSignedBy(
    committee as SyncCommittee,
    syncAggregate,
    message,
  ), 'the signature of the sync committee does not verify');
}

function validateFinality(clock: BeaconClock, update: LightClientUpdate): void {
  if (!hasFinality(update)) {
    const bodyRoot = update.finalizedHeader?.beacon.bodyRoot;
    require(bodyRoot === undefined || isZero(bodyRoot), 'the finalized header has no branch');
    return;
  }
  const { attestedHeader, finalityBranch = [] } = update;
  const finalized = update.finalizedHeader as LightClientHeader;
  const isGenesis = finalized.beacon.slot === 0;
  // The checkpoint of genesis is a zero root.
  if (isGenesis) require(isZero(finalized.beacon.bodyRoot), 'the finalized header of genesis is not empty');
  else require(isValidHeader(clock, finalized), 'the finalized execution header is not in the beacon block');
  const leaf = isGenesis ? new Uint8Array(32) : beaconHeaderRoot(finalized.beacon);
  const { finalizedRoot } = stateIndices(clock, attestedHeader.beacon.slot);
  require(isValidBranch(
    leaf,
    finalityBranch,
    finalizedRoot,
    attestedHeader.beacon.stateRoot,
  ), 'the finality branch does not lead to the attested state');
}

function validateNextCommittee(
  clock: BeaconClock,
  state: LightClientState,
  update: LightClientUpdate,
  isStorePeriod: boolean,
): void {
  const { nextSyncCommittee, nextSyncCommitteeBranch = [], attestedHeader } = update;
  if (!hasNextCommittee(update)) {
    const isEmpty = nextSyncCommittee === undefined || nextSyncCommittee.pubkeys.every(isZero);
    require(isEmpty, 'the next sync committee has no branch');
    return;
  }
  const root = syncCommitteeRoot(nextSyncCommittee as SyncCommittee);
  if (isStorePeriod && state.nextSyncCommittee !== undefined)
    require(areEqual(root, syncCommitteeRoot(state.nextSyncCommittee)), 'the next sync committee is not the known one');
  const index = stateIndices(clock, attestedHeader.beacon.slot).nextSyncCommittee;
  require(isValidBranch(
    root,
    nextSyncCommitteeBranch,
    index,
    attestedHeader.beacon.stateRoot,
  ), 'the branch of the next sync committee does not lead to the attested state');
}
