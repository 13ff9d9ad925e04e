import { readFileSync } from 'node:fs';
import { type HeadChoice, NetworksError } from '@cairn/chain-store';
import { type BeaconNetwork, beaconNetworks } from '@cairn/light-client';
import * as z from 'zod';

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`), `expected 0x and ${bytes * 2} digits`);

/** Beacon configuration of a private network, with the constants of its preset. */
const schema = z.strictObject({
  name: z.string().min(1).max(64),
  genesisTime: z.int().min(0),
  genesisValidatorsRoot: hex(32),
  secondsPerSlot: z.int().min(1).max(3600),
  slotsPerEpoch: z.int().min(1).max(1024),
  epochsPerPeriod: z.int().min(1).max(65_536),
  committeeSize: z.int().min(1).max(4096),
  forks: z
    .array(
      z.strictObject({
        name: z.enum(['altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu']),
        epoch: z.int().min(0),
        version: hex(4),
      }),
    )
    .min(1)
    .max(16),
});

/**
 * Finds the beacon chain of a network: from its configuration file, else by chain id.
 * @throws NETWORKS_INVALID
 */
export function beaconNetworkOf(
  name: string,
  chainId: string,
  { config }: Extract<HeadChoice, { readonly kind: 'beacon' }>,
): BeaconNetwork {
  if (config === undefined) {
    const known = beaconNetworks.find((network) => network.chainId === BigInt(chainId));
    if (known !== undefined) return known;
    const names = beaconNetworks.map((network) => network.name).join(', ');
    throw new NetworksError(name, [
      `head.beacon: the beacon chain of chain id ${chainId} is not known; set head.config, or use {"quorum": 2}. Known are ${names}`,
    ]);
  }
  const parsed = schema.safeParse(readJson(config));
  if (parsed.success) return { ...parsed.data, chainId: BigInt(chainId) };
  throw new NetworksError(
    config,
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`),
  );
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new NetworksError(path, ['the file cannot be read as JSON']);
  }
}
