import { participants } from './committee.ts';
import { LightClientError, updateInvalid } from './errors.ts';
import { isBetterUpdate } from './is-better-update.ts';
import type {
  LightClientBootstrap,
  LightClientHeader,
  LightClientState,
  LightClientUpdate,
} from './light-client-data.ts';
import type { BeaconClock } from './network.ts';
import { beaconHeaderRoot, syncCommitteeRoot } from './roots.ts';
import { areEqual, isValidBranch } from './ssz.ts';
import {
  finalizedSlot,
  hasFinality,
  hasNextCommittee,
  isValidHeader,
  stateIndices,
  validateUpdate,
} from './validate-update.ts';

/**
 * Light client store of the consensus specification (light client sync protocol). Every change of its state follows from the
 * trusted checkpoint by signatures and Merkle branches. A refused update leaves the state as it was.
 */
export class LightClientStore {
  readonly #clock: BeaconClock;
  #state: LightClientState;
  #bestUpdate: LightClientUpdate | undefined;

  constructor(clock: BeaconClock, state: LightClientState) {
    this.#clock = clock;
    this.#state = state;
  }

  /**
   * Starts from a trusted block (`initialize_light_client_store`).
   * @param trustedRoot root of a finalized beacon block, 32 bytes
   * @throws CHECKPOINT_INVALID
   */
  static fromBootstrap(clock: BeaconClock, trustedRoot: Uint8Array, bootstrap: LightClientBootstrap): LightClientStore {
    const { header, currentSyncCommittee, currentSyncCommitteeBranch } = bootstrap;
    const refuse = (reason: string) =>
      new LightClientError('CHECKPOINT_INVALID', `The bootstrap does not belong to the checkpoint: ${reason}.`, {
        hint: 'Check the checkpoint, or use another beacon node.',
      });
    if (!areEqual(beaconHeaderRoot(header.beacon), trustedRoot)) throw refuse('the root of its header differs');
    if (!isValidHeader(clock, header)) throw refuse('its execution header is not in the beacon block');
    const index = stateIndices(clock, header.beacon.slot).currentSyncCommittee;
    const root = syncCommitteeRoot(currentSyncCommittee);
    if (!isValidBranch(root, currentSyncCommitteeBranch, index, header.beacon.stateRoot))
      throw refuse('its sync committee is not in the state');
    return new LightClientStore(clock, {
      finalizedHeader: header,
      optimisticHeader: header,
      currentSyncCommittee,
      nextSyncCommittee: undefined,
      previousMaxParticipants: 0,
      currentMaxParticipants: 0,
    });
  }

  get state(): LightClientState {
    return this.#state;
  }

  /**
   * Validates and applies an update (`process_light_client_update`).
   * @throws UPDATE_INVALID
   */
  async process(update: LightClientUpdate, currentSlot: number): Promise<void> {
    const before = this.#state;
    await validateUpdate(this.#clock, before, update, currentSlot);
    if (this.#state !== before) throw updateInvalid('another update was applied meanwhile');
    const count = participants(update.syncAggregate).length;
    const size = update.syncAggregate.bits.length * 8;
    if (this.#bestUpdate === undefined || isBetterUpdate(this.#clock, update, this.#bestUpdate))
      this.#bestUpdate = update;
    const currentMaxParticipants = Math.max(before.currentMaxParticipants, count);
    const threshold = Math.floor(Math.max(before.previousMaxParticipants, currentMaxParticipants) / 2);
    const isNewer = update.attestedHeader.beacon.slot > before.optimisticHeader.beacon.slot;
    this.#state = {
      ...before,
      currentMaxParticipants,
      optimisticHeader: count > threshold && isNewer ? update.attestedHeader : before.optimisticHeader,
    };
    const period = (slot: number) => this.#clock.period(slot);
    const bringsFinalizedNext =
      before.nextSyncCommittee === undefined &&
      hasNextCommittee(update) &&
      hasFinality(update) &&
      period(finalizedSlot(update)) === period(update.attestedHeader.beacon.slot);
    const isProgress = finalizedSlot(update) > before.finalizedHeader.beacon.slot || bringsFinalizedNext;
    if (count * 3 < size * 2 || !hasFinality(update) || !isProgress) return;
    try {
      this.#apply(update, update.finalizedHeader as LightClientHeader);
    } catch (error) {
      this.#state = before;
      throw error;
    }
    this.#bestUpdate = undefined;
  }

  /**
   * Applies the best update after a whole period without finality (`process_light_client_store_force_update`). It weakens the
   * guarantee to one honest signature, so {@link LightClient} does not call it.
   */
  forceUpdate(currentSlot: number): void {
    const best = this.#bestUpdate;
    if (best === undefined || currentSlot <= this.#state.finalizedHeader.beacon.slot + this.#clock.slotsPerPeriod)
      return;
    const isBehind = finalizedSlot(best) <= this.#state.finalizedHeader.beacon.slot;
    this.#apply(best, isBehind ? best.attestedHeader : (best.finalizedHeader as LightClientHeader));
    this.#bestUpdate = undefined;
  }

  /** `apply_light_client_update` with the header that becomes final. */
  #apply(update: LightClientUpdate, finalizedHeader: LightClientHeader): void {
    const state = this.#state;
    const next = hasNextCommittee(update) ? update.nextSyncCommittee : undefined;
    const storePeriod = this.#clock.period(state.finalizedHeader.beacon.slot);
    const updatePeriod = this.#clock.period(finalizedHeader.beacon.slot);
    let committees: Partial<LightClientState> = {};
    if (state.nextSyncCommittee === undefined) {
      if (updatePeriod !== storePeriod) throw updateInvalid('it finalizes a later period than that of the store');
      committees = { nextSyncCommittee: next };
    } else if (updatePeriod === storePeriod + 1) {
      committees = {
        currentSyncCommittee: state.nextSyncCommittee,
        nextSyncCommittee: next,
        previousMaxParticipants: state.currentMaxParticipants,
        currentMaxParticipants: 0,
      };
    }
    const isNewer = finalizedHeader.beacon.slot > state.finalizedHeader.beacon.slot;
    const finalized = isNewer ? finalizedHeader : state.finalizedHeader;
    const isAhead = finalized.beacon.slot > state.optimisticHeader.beacon.slot;
    this.#state = {
      ...state,
      ...committees,
      finalizedHeader: finalized,
      optimisticHeader: isAhead ? finalized : state.optimisticHeader,
    };
  }
}
