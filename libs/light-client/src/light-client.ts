import { bytesFromHexDigits } from '@cairn/platform';
import { type BeaconNode, fetchJson, parseBeaconUrl } from './bounded-fetch.ts';
import { participants } from './committee.ts';
import { beaconAnswerInvalid, LightClientError } from './errors.ts';
import type { LightClientHeader, LightClientUpdate } from './light-client-data.ts';
import { LightClientStore } from './light-client-store.ts';
import { BeaconClock, type BeaconNetwork } from './network.ts';
import { parseBootstrap, parseUpdate } from './parse-beacon.ts';
import { parseState, stateText } from './state-text.ts';
import { finalizedSlot, hasNextCommittee } from './validate-update.ts';

/** Limits of the client. Times in milliseconds. */
const limits = {
  requestMs: 10_000,
  /** Updates in one request, as the Beacon API allows. */
  updatesMax: 128,
  /** Tolerated difference of clocks (MAXIMUM_GOSSIP_CLOCK_DISPARITY). */
  clockDisparityMs: 500,
  /**
   * Share of the committee that must sign a head. The specification compares with earlier updates only, of which there are none after
   * a bootstrap: one member could sign any head.
   */
  participantsMin: 1 / 3,
  /** Number of slots without a new head after which another node is tried first. */
  staleSlots: 4,
  /** Age of a checkpoint up to which its committee is trusted: the weak subjectivity period of mainnet. */
  checkpointAgeMaxMs: 14 * 24 * 3_600_000,
} as const;

/** Verified heads. */
export interface LightClientHeads {
  /** Newest header that the sync committee signed. It may be reorganized. */
  readonly optimistic: LightClientHeader;
  readonly finalized: LightClientHeader;
}

/** Event for logs and metrics. Holds no credentials. */
export interface LightClientEvent {
  /** `wrong`: an answer that does not verify. `unavailable`: no answer. */
  readonly type: 'wrong' | 'unavailable';
  /** Host and port of the beacon node. */
  readonly host: string;
  readonly reason: string;
}

export interface LightClientOptions {
  readonly network: BeaconNetwork;
  /** Base URLs of beacon nodes with the Beacon API. Untrusted. */
  readonly beacons: readonly string[];
  /** Root of a finalized beacon block, `0x` and 64 hex digits, from a source that you trust. */
  readonly checkpoint: string;
  /** Text of {@link LightClient.stateText} from an earlier run. Preferred to the checkpoint. */
  readonly state?: string | undefined;
  /** Interval of polls in milliseconds. Default: half a slot. */
  readonly pollMs?: number;
  /** Default: 14 days. */
  readonly checkpointAgeMaxMs?: number;
  /** Called after each change of the heads. */
  readonly onHeads?: (heads: LightClientHeads) => void;
  readonly onEvent?: (event: LightClientEvent) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Follows the head of a beacon chain from a trusted checkpoint. Every head is verified against the signatures of its sync committee. */
export class LightClient {
  readonly #options: LightClientOptions;
  readonly #clock: BeaconClock;
  readonly #now: () => number;
  readonly #nodes: BeaconNode[];
  readonly #stop = new AbortController();
  #store: LightClientStore | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round: Promise<void> | undefined;

  /** @throws LIGHT_CLIENT_CONFIG_INVALID */
  constructor(options: LightClientOptions) {
    this.#options = options;
    this.#clock = new BeaconClock(options.network);
    this.#now = options.now ?? Date.now;
    this.#nodes = options.beacons.map(parseBeaconUrl);
    if (this.#nodes.length === 0)
      throw new LightClientError('LIGHT_CLIENT_CONFIG_INVALID', 'The list of beacon nodes is empty.', {
        hint: 'Add one URL or more.',
      });
    if (!/^0x[0-9a-f]{64}$/i.test(options.checkpoint))
      throw new LightClientError('LIGHT_CLIENT_CONFIG_INVALID', 'The checkpoint is not a block root.', {
        hint: 'Expected 0x and 64 hex digits.',
      });
  }

  /** Heads of the last round; undefined before {@link start} has resolved. */
  get heads(): LightClientHeads | undefined {
    const state = this.#store?.state;
    return state && { optimistic: state.optimisticHeader, finalized: state.finalizedHeader };
  }

  /** State for the next start. Store it after changes of the finalized head. */
  get stateText(): string | undefined {
    return this.#store && stateText(this.#options.network, this.#store.state);
  }

  /**
   * Starts from the stored state or the checkpoint, catches up with the current period, and then polls until {@link close}.
   * @throws CHECKPOINT_INVALID, CHECKPOINT_TOO_OLD, LIGHT_CLIENT_CONFIG_INVALID, BEACON_UNAVAILABLE when no node answers
   */
  async start(): Promise<void> {
    const { state, network } = this.#options;
    this.#store =
      state === undefined
        ? await this.#fromAnyNode((node) => this.#bootstrap(node))
        : new LightClientStore(this.#clock, parseState(network, state));
    this.#requireFresh(this.#store.state.finalizedHeader);
    await this.#fromAnyNode((node) => this.#catchUp(node));
    this.#options.onHeads?.(this.heads as LightClientHeads);
    this.#schedule();
  }

  /** Reads the newest updates now. Polls call it; never rejects. */
  refresh(): Promise<void> {
    this.#round ??= this.#readUpdates().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  close(): void {
    this.#stop.abort(new Error('the light client is closed'));
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stop.signal.aborted) return;
    const pollMs = this.#options.pollMs ?? this.#options.network.secondsPerSlot * 500;
    this.#timer = setTimeout(() => void this.refresh().then(() => this.#schedule()), pollMs);
  }

  async #bootstrap(node: BeaconNode): Promise<LightClientStore> {
    const { checkpoint, network } = this.#options;
    const answer = await this.#get(node, `/eth/v1/beacon/light_client/bootstrap/${checkpoint.toLowerCase()}`);
    const root = bytesFromHexDigits(checkpoint.slice(2));
    return LightClientStore.fromBootstrap(this.#clock, root, parseBootstrap(answer, network.committeeSize));
  }

  #requireFresh({ beacon }: LightClientHeader): void {
    const ageMs = this.#now() - this.#clock.timeOf(beacon.slot);
    if (ageMs <= (this.#options.checkpointAgeMaxMs ?? limits.checkpointAgeMaxMs)) return;
    const days = Math.floor(ageMs / (24 * 3_600_000));
    throw new LightClientError(
      'CHECKPOINT_TOO_OLD',
      `The checkpoint is ${days} days old, so former validators could forge its successors.`,
      {
        hint: 'Set the root of a recently finalized block as checkpoint, from a source that you trust.',
      },
    );
  }

  /** Reads the updates of all periods from that of the store to the current one, then the newest ones. */
  async #catchUp(node: BeaconNode): Promise<void> {
    const store = this.#store as LightClientStore;
    const current = this.#clock.period(this.#currentSlot);
    for (;;) {
      const before = store.state;
      const period = this.#clock.period(before.finalizedHeader.beacon.slot);
      if (period >= current && before.nextSyncCommittee !== undefined) break;
      const count = Math.min(limits.updatesMax, Math.max(1, current - period + 1));
      const answer = await this.#get(node, `/eth/v1/beacon/light_client/updates?start_period=${period}&count=${count}`);
      if (!Array.isArray(answer) || answer.length > count)
        throw beaconAnswerInvalid(`it is not a list of ${count} updates`);
      for (const update of answer) await this.#process(parseUpdate(update, this.#options.network.committeeSize));
      // Each round must lead on. A node can repeat updates that are valid and change neither the period nor the committees.
      const { finalizedHeader, nextSyncCommittee } = store.state;
      const isNextNew = before.nextSyncCommittee === undefined && nextSyncCommittee !== undefined;
      if (this.#clock.period(finalizedHeader.beacon.slot) === period && !isNextNew) break;
    }
    await this.#newest(node);
  }

  async #newest(node: BeaconNode): Promise<void> {
    for (const name of ['finality_update', 'optimistic_update']) {
      const answer = await this.#get(node, `/eth/v1/beacon/light_client/${name}`);
      await this.#process(parseUpdate(answer, this.#options.network.committeeSize));
    }
  }

  /** Processes an update that brings something new. An honest node repeats its newest update between slots. */
  async #process(update: LightClientUpdate): Promise<void> {
    const store = this.#store as LightClientStore;
    const { finalizedHeader, optimisticHeader, nextSyncCommittee } = store.state;
    const isNew =
      update.attestedHeader.beacon.slot > optimisticHeader.beacon.slot ||
      finalizedSlot(update) > finalizedHeader.beacon.slot ||
      (nextSyncCommittee === undefined && hasNextCommittee(update));
    // An honest node has such updates after a block with few signatures.
    const count = participants(update.syncAggregate).length;
    if (count > 0 && count < this.#options.network.committeeSize * limits.participantsMin) return;
    if (isNew) await store.process(update, this.#currentSlot);
  }

  get #currentSlot(): number {
    return this.#clock.slotAt(this.#now() + limits.clockDisparityMs);
  }

  async #readUpdates(): Promise<void> {
    const store = this.#store as LightClientStore;
    const before = store.state;
    await this.#fromAnyNode((node) => this.#catchUp(node)).catch(() => undefined);
    const { state } = store;
    const hasMoved =
      state.optimisticHeader !== before.optimisticHeader || state.finalizedHeader !== before.finalizedHeader;
    if (hasMoved) this.#options.onHeads?.(this.heads as LightClientHeads);
    const isStale = this.#currentSlot - state.optimisticHeader.beacon.slot > limits.staleSlots;
    if (isStale) this.#demote(this.#nodes[0] as BeaconNode);
  }

  /** Tries the nodes in order. A node that fails or is wrong moves to the end. @throws the error of the last node */
  async #fromAnyNode<T>(work: (node: BeaconNode) => Promise<T>): Promise<T> {
    let last: unknown;
    for (const node of [...this.#nodes]) {
      try {
        return await work(node);
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        if (!(error instanceof LightClientError)) throw error;
        last = error;
        this.#demote(node);
        const type = error.code === 'BEACON_UNAVAILABLE' ? 'unavailable' : 'wrong';
        this.#options.onEvent?.({ type, host: node.host, reason: error.message });
      }
    }
    throw last;
  }

  #demote(node: BeaconNode): void {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#nodes.push(node);
  }

  #get(node: BeaconNode, path: string): Promise<unknown> {
    return fetchJson(node, path, limits.requestMs, this.#stop.signal);
  }
}
