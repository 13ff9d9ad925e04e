import { bytesFromHexDigits } from '@cairn/platform';
import { LightClientError } from './errors.ts';
import { containerRoot } from './ssz.ts';

/** Forks of the beacon chain that change light client data, in order. */
export type BeaconForkName = 'altair' | 'bellatrix' | 'capella' | 'deneb' | 'electra' | 'fulu';

export interface BeaconFork {
  readonly name: BeaconForkName;
  readonly epoch: number;
  /** 4 bytes as `0x` and 8 digits. */
  readonly version: string;
}

/** Constants of one beacon chain. */
export interface BeaconNetwork {
  readonly name: string;
  /** Chain id of its execution layer. */
  readonly chainId: bigint;
  /** Seconds since 1970. */
  readonly genesisTime: number;
  /** 32 bytes as `0x` and 64 digits. */
  readonly genesisValidatorsRoot: string;
  readonly secondsPerSlot: number;
  readonly slotsPerEpoch: number;
  readonly epochsPerPeriod: number;
  readonly committeeSize: number;
  /** Ascending by epoch. Later forks than the listed ones are refused. */
  readonly forks: readonly BeaconFork[];
}

/** Presets `mainnet` of the consensus specification. */
const mainnetPreset = { secondsPerSlot: 12, slotsPerEpoch: 32, epochsPerPeriod: 256, committeeSize: 512 } as const;

/** Source: eth-clients/mainnet, /sepolia and /hoodi (metadata/config.yaml). */
export const beaconNetworks: readonly BeaconNetwork[] = [
  {
    ...mainnetPreset,
    name: 'mainnet',
    chainId: 1n,
    genesisTime: 1606824023,
    genesisValidatorsRoot: '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95',
    forks: [
      { name: 'altair', epoch: 74240, version: '0x01000000' },
      { name: 'bellatrix', epoch: 144896, version: '0x02000000' },
      { name: 'capella', epoch: 194048, version: '0x03000000' },
      { name: 'deneb', epoch: 269568, version: '0x04000000' },
      { name: 'electra', epoch: 364032, version: '0x05000000' },
      { name: 'fulu', epoch: 411392, version: '0x06000000' },
    ],
  },
  {
    ...mainnetPreset,
    name: 'sepolia',
    chainId: 11155111n,
    genesisTime: 1655733600,
    genesisValidatorsRoot: '0xd8ea171f3c94aea21ebc42a1ed61052acf3f9209c00e4efbaaddac09ed9b8078',
    forks: [
      { name: 'altair', epoch: 50, version: '0x90000070' },
      { name: 'bellatrix', epoch: 100, version: '0x90000071' },
      { name: 'capella', epoch: 56832, version: '0x90000072' },
      { name: 'deneb', epoch: 132608, version: '0x90000073' },
      { name: 'electra', epoch: 222464, version: '0x90000074' },
      { name: 'fulu', epoch: 272640, version: '0x90000075' },
    ],
  },
  {
    ...mainnetPreset,
    name: 'hoodi',
    chainId: 560048n,
    genesisTime: 1742213400,
    genesisValidatorsRoot: '0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f',
    forks: [
      { name: 'altair', epoch: 0, version: '0x20000910' },
      { name: 'bellatrix', epoch: 0, version: '0x30000910' },
      { name: 'capella', epoch: 0, version: '0x40000910' },
      { name: 'deneb', epoch: 0, version: '0x50000910' },
      { name: 'electra', epoch: 2048, version: '0x60000910' },
      { name: 'fulu', epoch: 50688, version: '0x70000910' },
    ],
  },
];

/** The preset of a name. @throws LIGHT_CLIENT_CONFIG_INVALID */
export function beaconNetwork(name: string): BeaconNetwork {
  const network = beaconNetworks.find((one) => one.name === name);
  if (network !== undefined) return network;
  throw new LightClientError(
    'LIGHT_CLIENT_CONFIG_INVALID',
    `The beacon chain ${JSON.stringify(name.slice(0, 64))} is not known.`,
    {
      hint: `Known: ${beaconNetworks.map((one) => one.name).join(', ')}.`,
    },
  );
}

/** Slots, epochs, forks and signing domains of one beacon chain. */
export class BeaconClock {
  readonly network: BeaconNetwork;
  readonly #domains = new Map<string, Uint8Array>();

  constructor(network: BeaconNetwork) {
    this.network = network;
  }

  get slotsPerPeriod(): number {
    return this.network.slotsPerEpoch * this.network.epochsPerPeriod;
  }

  /** Sync committee period of a slot. */
  period(slot: number): number {
    return Math.floor(slot / this.slotsPerPeriod);
  }

  /** Slot at a time in milliseconds since 1970. */
  slotAt(ms: number): number {
    return Math.floor((ms / 1000 - this.network.genesisTime) / this.network.secondsPerSlot);
  }

  /** Time of a slot in milliseconds since 1970. */
  timeOf(slot: number): number {
    return (this.network.genesisTime + slot * this.network.secondsPerSlot) * 1000;
  }

  /** Fork of a slot; undefined before Altair. */
  fork(slot: number): BeaconFork | undefined {
    const epoch = Math.floor(slot / this.network.slotsPerEpoch);
    return this.network.forks.findLast((fork) => fork.epoch <= epoch);
  }

  /** Reports whether a fork is active at a slot. */
  has(slot: number, name: BeaconForkName): boolean {
    const epoch = Math.floor(slot / this.network.slotsPerEpoch);
    return this.network.forks.some((fork) => fork.name === name && fork.epoch <= epoch);
  }

  /** Signing domain of the sync committee for a signature at a slot (`compute_domain`). */
  domain(signatureSlot: number): Uint8Array {
    const version = this.fork(Math.max(signatureSlot, 1) - 1)?.version ?? '0x00000000';
    let domain = this.#domains.get(version);
    if (domain === undefined) {
      const versionChunk = new Uint8Array(32);
      versionChunk.set(bytesFromHexDigits(version.slice(2)));
      const root = containerRoot([versionChunk, bytesFromHexDigits(this.network.genesisValidatorsRoot.slice(2))]);
      domain = new Uint8Array(32);
      domain.set([0x07, 0, 0, 0]);
      domain.set(root.subarray(0, 28), 4);
      this.#domains.set(version, domain);
    }
    return domain;
  }
}
