import type { IpfsPeer } from '@cairn/ipfs-peer';
import { type Registry, registerCounter, registerGauge } from '@cairn/service-kit';

type Labelled = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Registers the metrics of the peer, which are read at each scrape. */
export function registerPeerMetrics(registry: Registry, { node, bitswap, rules, bandwidth }: IpfsPeer): void {
  const opened = { inbound: 0, outbound: 0 };
  node.addEventListener('connection:open', ({ detail }) => {
    opened[detail.direction]++;
  });
  const counter = (name: string, help: string, label: string, read: () => Iterable<Labelled>) =>
    registerCounter(registry, { name: `cairn_ipfs_peer_${name}`, help, labelNames: [label] }, read);
  const byDirection = (values: { readonly inbound: number; readonly outbound: number }): Labelled[] =>
    Object.entries(values).map(([direction, value]) => [{ direction }, value]);

  registerGauge(
    registry,
    'cairn_ipfs_peer_connections',
    'Open connections.',
    () => {
      const open = { inbound: 0, outbound: 0 };
      for (const { direction } of node.getConnections()) open[direction]++;
      return byDirection(open);
    },
    ['direction'],
  );
  counter('connections_opened_total', 'Connections opened since the start.', 'direction', () => byDirection(opened));
  counter('bytes_total', 'Bytes of all connections.', 'direction', () => {
    const { totalIn, totalOut } = bandwidth.read();
    return byDirection({ inbound: totalIn, outbound: totalOut });
  });
  counter('protocol_received_bytes_total', 'Bytes received in streams of a protocol.', 'protocol', () =>
    [...bandwidth.protocols()].map(([protocol, { totalIn }]): Labelled => [{ protocol }, totalIn]),
  );
  counter('protocol_sent_bytes_total', 'Bytes sent in streams of a protocol.', 'protocol', () =>
    [...bandwidth.protocols()].map(([protocol, { totalOut }]): Labelled => [{ protocol }, totalOut]),
  );
  counter('bitswap_blocks_total', 'Blocks received, received twice, and sent by bitswap.', 'kind', () => {
    const { blocksReceived, duplicateBlocks, blocksSent } = bitswap.stats();
    return [
      [{ kind: 'received' }, blocksReceived],
      [{ kind: 'duplicate' }, duplicateBlocks],
      [{ kind: 'sent' }, blocksSent],
    ];
  });
  registerGauge(
    registry,
    'cairn_ipfs_peer_bitswap_wants',
    'Blocks that this node waits for, and wants of other peers that wait here.',
    () => {
      const { wantlist, peersWants } = bitswap.stats();
      return [
        [{ side: 'own' }, wantlist],
        [{ side: 'peers' }, peersWants],
      ];
    },
    ['side'],
  );
  counter('refused_addresses_total', 'Dials that the address rules refused.', 'reason', () => [
    [{ reason: 'not-public' }, rules.refused],
  ]);
}
