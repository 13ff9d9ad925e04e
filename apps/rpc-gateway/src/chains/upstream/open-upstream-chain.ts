import { join } from 'node:path';
import type { UpstreamNetwork } from '@cairn/chain-store';
import { errorChain } from '@cairn/errors';
import {
  type Attestation,
  ClaimedHeads,
  type HeadFeed,
  HeadTracker,
  ProvenBlocks,
  ProvenCalls,
  ProvenChain,
} from '@cairn/proven-chain';
import { LmdbContentCache } from '@cairn/proven-state';
import type { Logger, ProcessGroup } from '@cairn/service-kit';
import { createUpstreamPool, type UpstreamPool } from '@cairn/upstream';
import { beaconNetworkOf } from './beacon-config.ts';
import { LightClientHeads } from './light-client-heads.ts';
import { SharedHeads } from './shared-heads.ts';
import { UpstreamChain } from './upstream-chain.ts';
import type { UpstreamReports } from './upstream-reports.ts';
import { upstreamSpec } from './upstream-spec.ts';

export interface OpenUpstreamOptions {
  readonly home: string;
  /** Limit of the content on disk, for each network. */
  readonly cacheBytesMax: number;
  readonly reports: UpstreamReports;
  readonly logger: Logger;
  readonly processes: ProcessGroup;
}

/** Upstreams that must agree where a light client gives no proof of an old block. */
const attestationQuorum = 2;

/** Opens the cache, the upstreams and the head source of a network. No request is sent yet. @throws NETWORKS_INVALID */
export async function openUpstreamChain(
  network: UpstreamNetwork,
  { home, cacheBytesMax, reports, logger, processes }: OpenUpstreamOptions,
): Promise<UpstreamChain> {
  const { name } = network;
  const { spec, genesisHash } = await upstreamSpec(network);
  const directory = join(home, 'upstreams', name);
  const cacheDirectory = join(directory, 'content');
  const cache = await LmdbContentCache.open({
    directory: cacheDirectory,
    bytesMax: cacheBytesMax,
    onError: (error) => logger.error({ network: name, causes: errorChain(error) }, 'verified content cannot be cached'),
  });
  const pool = createUpstreamPool({
    chainId: BigInt(spec.chainId),
    upstreams: network.upstreams.map((upstream) => withShareOfRate(upstream, processes)),
    onEvent: (event) => reports.event(name, event),
  });
  const attestation = attestationOf(network, pool);
  // With a light client, every block is proven: its chain has no transactions of an unknown format.
  const bodyAttestation = network.head.kind === 'beacon' ? undefined : attestation;
  const blocks = new ProvenBlocks({ pool, cache, bodyAttestation });
  const onError = (error: unknown) => reports.headFailed(name, error);
  const feed = (): HeadFeed => {
    const { head } = network;
    if (head.kind !== 'beacon') return new ClaimedHeads({ blocks, attestation: attestation as Attestation, onError });
    return new LightClientHeads({
      network: beaconNetworkOf(name, spec.chainId, head),
      beacons: head.beacon,
      checkpoint: head.checkpoint,
      stateFile: join(directory, 'light-client.json'),
      onEvent: (event) => reports.lightClient(name, event),
    });
  };
  const heads = new HeadTracker({
    blocks,
    feed: new SharedHeads({ feed: feed(), processes, network: name }),
    onError,
  });
  const provenChain = new ProvenChain({ spec, blocks, heads: () => heads.heads, genesisHash, attestation });
  const { source, fetch, learn } = new ProvenCalls({ blocks, directory: cacheDirectory });
  const calls = { spec, source, fetch, learn };
  return new UpstreamChain({ network, pool, heads, provenChain, calls, cache });
}

/** Divides the rate of an upstream among the processes of the gateway. */
function withShareOfRate(
  upstream: UpstreamNetwork['upstreams'][number],
  { count }: ProcessGroup,
): UpstreamNetwork['upstreams'][number] {
  const { url, requestsPerSecond: rate } = typeof upstream === 'string' ? { url: upstream } : upstream;
  return rate === undefined ? upstream : { url, requestsPerSecond: rate / count };
}

/** Agreement that a network accepts where no proof exists. A light client with one upstream has none. */
function attestationOf({ head, upstreams }: UpstreamNetwork, pool: UpstreamPool): Attestation | undefined {
  if (head.kind === 'quorum') return { quorum: head.quorum };
  if (head.kind === 'trusted')
    return {
      quorum: 1,
      among: pool
        .states()
        .slice(0, 1)
        .map((state) => state.name),
    };
  return upstreams.length >= attestationQuorum ? { quorum: attestationQuorum } : undefined;
}
