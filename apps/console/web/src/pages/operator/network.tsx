import { ActionIcon, Alert, Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { bytes, count, short } from '../../format.ts';
import { Answer, Copy, Empty, Section } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';
import { type RecordCounts, recordTexts } from './record-texts.ts';

interface Peer {
  readonly peer: string;
  readonly address: string;
  readonly direction: 'inbound' | 'outbound';
  readonly agentVersion?: string;
  readonly latencyMs?: number;
}

interface NetworkState {
  readonly isConfigured: true;
  readonly node: { readonly id: string; readonly agentVersion: string; readonly addresses: readonly string[] };
  readonly peers: readonly Peer[];
  readonly peerCount: number;
  readonly traffic: {
    readonly totalIn: number;
    readonly totalOut: number;
    readonly rateIn: number;
    readonly rateOut: number;
  };
  readonly blocks: {
    readonly blocksReceived: number;
    readonly bytesReceived: number;
    readonly blocksSent: number;
    readonly bytesSent: number;
    readonly duplicateBlocks: number;
    readonly wanted: number;
    readonly partners: number;
  };
  readonly records: RecordCounts;
}

/** State of the IPFS peer. */
export function Network() {
  const state = useApi<NetworkState | { readonly isConfigured: false }>('operator/network', { refreshMs: 5000 });
  return (
    <Answer query={state}>
      {(found) =>
        found.isConfigured ? (
          <Stack>
            <Figures state={found} />
            <Addresses node={found.node} />
            <Connect />
            <Peers peers={found.peers} total={found.peerCount} />
          </Stack>
        ) : (
          <Alert title="No IPFS peer">
            This deployment does not take part in the IPFS network. Start the IPFS peer and set IPFS_PEER_URL.
          </Alert>
        )
      }
    </Answer>
  );
}

function Figures({ state: { peerCount, traffic, blocks, records } }: { state: NetworkState }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Figure title="Peers" value={count(peerCount)} text={`${count(blocks.partners)} exchange blocks`} />
      <Figure
        title="Traffic"
        value={`${bytes(traffic.rateIn)}/s in, ${bytes(traffic.rateOut)}/s out`}
        text={`${bytes(traffic.totalIn)} in, ${bytes(traffic.totalOut)} out since the start`}
      />
      <Figure
        title="Blocks"
        value={`${count(blocks.blocksReceived)} in, ${count(blocks.blocksSent)} out`}
        text={`${count(blocks.wanted)} wanted, ${count(blocks.duplicateBlocks)} duplicates`}
      />
      <Figure title="Announced records" {...recordTexts(records)} />
    </SimpleGrid>
  );
}

function Figure({ title, value, text }: { title: string; value: string; text: string }) {
  return (
    <Card withBorder padding="md" component="section" aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600} className="number">
        {value}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Card>
  );
}

function Addresses({ node }: { node: NetworkState['node'] }) {
  return (
    <Section title="This node">
      <Group gap={4} wrap="nowrap">
        <Text size="sm" ff="monospace" truncate title={node.id}>
          {node.id}
        </Text>
        <Copy value={node.id} label="Copy the peer ID" />
      </Group>
      {node.addresses.map((address) => (
        <Group key={address} gap={4} wrap="nowrap">
          <Text size="xs" ff="monospace" truncate title={address}>
            {address}
          </Text>
          <Copy value={address} label={`Copy the address ${address}`} />
        </Group>
      ))}
      {node.addresses.length === 0 && <Text size="sm">This node has no addresses that peers can dial.</Text>}
    </Section>
  );
}

function Connect() {
  const [address, setAddress] = useState('');
  const connect = useChange(
    async (to: string) => {
      await api('operator/network/peers', { method: 'POST', body: { address: to } });
      setAddress('');
    },
    { done: 'Connected.', isQuiet: true },
  );
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    connect.mutate(address.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" wrap="wrap">
        <TextInput
          flex={1}
          miw={220}
          label="Connect to a node"
          placeholder="/ip4/203.0.113.5/tcp/4001/p2p/12D3…"
          value={address}
          maxLength={1000}
          error={connect.error?.message}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Button type="submit" loading={connect.isPending} disabled={address.trim() === ''}>
          Connect
        </Button>
      </Group>
    </form>
  );
}

function Peers({ peers, total }: { peers: readonly Peer[]; total: number }) {
  const disconnect = useChange(
    (peer: string) => api(`operator/network/peers?peer=${encodeURIComponent(peer)}`, { method: 'DELETE' }),
    { done: 'Disconnected.' },
  );
  if (peers.length === 0) return <Empty title="No peers">Connect to a node, or check the bootstrap nodes.</Empty>;
  const columns: readonly Column<Peer>[] = [
    {
      title: 'Peer',
      show: ({ peer }) => (
        <Text size="sm" ff="monospace" title={peer}>
          {short(peer)}
        </Text>
      ),
    },
    { title: 'Agent', show: ({ agentVersion }) => agentVersion ?? 'unknown' },
    {
      title: 'Address',
      show: ({ address, direction }) => (
        <Text size="sm" title={address} truncate maw={280}>
          {direction === 'inbound' ? 'from ' : 'to '}
          {address}
        </Text>
      ),
    },
    {
      title: 'Latency',
      isNumber: true,
      show: ({ latencyMs }) => (latencyMs === undefined ? '–' : `${Math.round(latencyMs)} ms`),
    },
    {
      title: 'Actions',
      show: ({ peer }) => (
        <Tooltip label="Disconnect">
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => disconnect.mutate(peer)}
            aria-label={`Disconnect ${short(peer)}`}
          >
            <IconPlugConnectedX size={18} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
  return (
    <Section
      title="Connections"
      isFlush
      {...(total > peers.length && { text: `${count(peers.length)} of ${count(total)} connections are shown.` })}
    >
      <DataTable
        label="Connections"
        rows={peers}
        columns={columns}
        keyOf={({ peer, address }) => `${peer} ${address}`}
      />
    </Section>
  );
}
