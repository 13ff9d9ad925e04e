import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { BeaconHeader, ExecutionHeader, SyncCommittee } from '../light-client-data.ts';
import { BeaconClock, type BeaconNetwork } from '../network.ts';
import { beaconHeaderRoot, executionHeaderRoot, signingRoot, syncCommitteeRoot } from '../roots.ts';
import { containerRoot } from '../ssz.ts';

const { longSignatures } = bls12_381;
const suite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';
/** Signature of no key: the point at infinity. */
const noSignature = Uint8Array.of(0xc0, ...new Uint8Array(95));
const bytes32 = (value: bigint) => Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

/** Beacon chain with the minimal preset, in Electra, whose committees have known keys. */
export const testNetwork: BeaconNetwork = {
  name: 'test',
  chainId: 7n,
  genesisTime: 1_700_000_000,
  genesisValidatorsRoot: `0x${'77'.repeat(32)}`,
  secondsPerSlot: 6,
  slotsPerEpoch: 8,
  epochsPerPeriod: 8,
  committeeSize: 32,
  forks: (['altair', 'bellatrix', 'capella', 'deneb', 'electra'] as const).map((name, i) => ({
    name,
    epoch: 0,
    version: `0x0${i + 1}000001`,
  })),
};
export const testClock = new BeaconClock(testNetwork);

/** Sparse Merkle tree: the root and the branches of leaves at generalized indices. Other leaves are zero chunks. */
function sparseTree(leaves: ReadonlyMap<number, Uint8Array>) {
  const nodes = new Map(leaves);
  const zero = new Uint8Array(32);
  for (let index = Math.max(...leaves.keys()); index > 1; index--) {
    if (!nodes.has(index) && !nodes.has(index ^ 1)) continue;
    const [left, right] = [index & ~1, index | 1].map((one) => nodes.get(one) ?? zero) as [Uint8Array, Uint8Array];
    nodes.set(index >> 1, containerRoot([left, right]));
  }
  const branch = (leaf: number) => {
    const siblings: Uint8Array[] = [];
    for (let index = leaf; index > 1; index >>= 1) siblings.push(nodes.get(index ^ 1) ?? zero);
    return siblings;
  };
  return { root: nodes.get(1) as Uint8Array, branch };
}

interface Built {
  readonly beacon: BeaconHeader;
  readonly json: object;
}

/** Options of an update. Defaults: an honest update with all signatures. */
export interface UpdateOptions {
  readonly attested: number;
  readonly finalized: number;
  readonly signature?: number;
  readonly participants?: number;
  /** Period whose committee signs. Default: that of the signature slot. */
  readonly signers?: number;
  readonly withNext?: boolean;
}

export interface TestBeaconOptions {
  /** Chain in Electra with 32 members in a committee. Default: {@link testNetwork}. */
  readonly network?: BeaconNetwork;
  /** Execution header in the block of a slot. Default: an invented one. */
  readonly executionAt?: (slot: number) => ExecutionHeader;
}

/** Builds light client data as JSON of the Beacon API. Equal seeds give equal chains; other seeds give other committees. */
export class TestBeacon {
  readonly #seed: number;
  readonly #clock: BeaconClock;
  readonly #executionAt: (slot: number) => ExecutionHeader;
  readonly #committees = new Map<number, SyncCommittee>();

  constructor(seed = 1, { network = testNetwork, executionAt = testExecution }: TestBeaconOptions = {}) {
    this.#seed = seed;
    this.#clock = new BeaconClock(network);
    this.#executionAt = executionAt;
  }

  committee(period: number): SyncCommittee {
    let committee = this.#committees.get(period);
    if (committee === undefined) {
      const points = this.#secrets(period).map((secret) => longSignatures.getPublicKey(secret));
      committee = {
        pubkeys: points.map((point) => point.toBytes(true)),
        aggregatePubkey: longSignatures.aggregatePublicKeys(points).toBytes(true),
      };
      this.#committees.set(period, committee);
    }
    return committee;
  }

  bootstrap(slot: number): { readonly root: string; readonly json: object } {
    const { beacon, json, branch } = this.#block(slot);
    const committee = this.committee(this.#clock.period(slot));
    const data = {
      header: json,
      current_sync_committee: committeeJson(committee),
      current_sync_committee_branch: branch(86).map(hexOf),
    };
    return { root: hexOf(beaconHeaderRoot(beacon)), json: { version: 'electra', data } };
  }

  update(options: UpdateOptions): { readonly version: string; readonly data: Record<string, unknown> } {
    const {
      attested,
      finalized,
      signature: signatureSlot = attested + 1,
      participants = 32,
      withNext = true,
    } = options;
    const { beacon, json, branch } = this.#block(attested, finalized);
    const message = longSignatures.hash(signingRoot(beacon, this.#clock.domain(signatureSlot)), suite);
    const secrets = this.#secrets(options.signers ?? this.#clock.period(signatureSlot)).slice(0, participants);
    // The sum of keys signs as all of them do, in the time of one.
    const sum = secrets.reduce((total, secret) => total + BigInt(hexOf(secret)), 0n);
    const signature = sum === 0n ? noSignature : longSignatures.sign(message, bytes32(sum)).toBytes(true);
    const bits = new Uint8Array(4);
    for (let i = 0; i < participants; i++) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
    return {
      version: 'electra',
      data: {
        attested_header: json,
        ...(withNext && {
          next_sync_committee: committeeJson(this.committee(this.#clock.period(attested) + 1)),
          next_sync_committee_branch: branch(87).map(hexOf),
        }),
        finalized_header: this.#block(finalized).json,
        finality_branch: branch(169).map(hexOf),
        sync_aggregate: {
          sync_committee_bits: hexOf(bits),
          sync_committee_signature: hexOf(signature),
        },
        signature_slot: String(signatureSlot),
      },
    };
  }

  /** Number of the execution block at a slot. */
  static blockNumber(slot: number): bigint {
    return BigInt(slot) + 1000n;
  }

  /** @param finalized slot that the state of this block names as finalized */
  #block(slot: number, finalized?: number): Built & { branch(index: number): Uint8Array[] } {
    const period = this.#clock.period(slot);
    const leaves = new Map([
      [86, syncCommitteeRoot(this.committee(period))],
      [87, syncCommitteeRoot(this.committee(period + 1))],
    ]);
    if (finalized !== undefined) leaves.set(169, beaconHeaderRoot(this.#block(finalized).beacon));
    const state = sparseTree(leaves);
    const execution = this.#executionAt(slot);
    const body = sparseTree(new Map([[25, executionHeaderRoot(execution, true)]]));
    const parentRoot = new Uint8Array(32).fill(this.#seed);
    const beacon = { slot, proposerIndex: 1n, parentRoot, stateRoot: state.root, bodyRoot: body.root };
    const json = {
      beacon: {
        slot: String(slot),
        proposer_index: '1',
        parent_root: hexOf(parentRoot),
        state_root: hexOf(state.root),
        body_root: hexOf(body.root),
      },
      execution: executionJson(execution),
      execution_branch: body.branch(25).map(hexOf),
    };
    return { beacon, json, branch: state.branch };
  }

  #secrets(period: number): Uint8Array[] {
    return Array.from({ length: 32 }, (_, i) => bytes32(BigInt(this.#seed * 1_000_000 + period * 100 + i + 1)));
  }
}

const committeeJson = ({ pubkeys, aggregatePubkey }: SyncCommittee) => ({
  pubkeys: pubkeys.map(hexOf),
  aggregate_pubkey: hexOf(aggregatePubkey),
});

function testExecution(slot: number): ExecutionHeader {
  const filled = (byte: number, length = 32) => new Uint8Array(length).fill(byte);
  const blockHash = filled(0xbb);
  new DataView(blockHash.buffer).setUint32(0, slot);
  return {
    parentHash: filled(1),
    feeRecipient: filled(2, 20),
    stateRoot: filled(3),
    receiptsRoot: filled(4),
    logsBloom: filled(0, 256),
    prevRandao: filled(5),
    blockNumber: TestBeacon.blockNumber(slot),
    gasLimit: 30_000_000n,
    gasUsed: 1n,
    timestamp: BigInt(testNetwork.genesisTime + slot * testNetwork.secondsPerSlot),
    extraData: filled(6, 3),
    baseFeePerGas: 7n,
    blockHash,
    transactionsRoot: filled(8),
    withdrawalsRoot: filled(9),
    blobGasUsed: 0n,
    excessBlobGas: 0n,
  };
}

function executionJson(execution: ExecutionHeader): object {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    Object.entries(execution).map(([name, value]) => [
      snake(name),
      value instanceof Uint8Array ? hexOf(value) : String(value),
    ]),
  );
}
