import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Group,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { bytes, count, duration, short } from '../../format.ts';
import { Answer, Copy, Empty } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

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
  readonly records: {
    readonly records: number;
    readonly waiting: number;
    readonly announced: number;
    readonly failed: number;
    readonly oldestSeconds?: number;
  };
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
  const age = records.oldestSeconds === undefined ? 'none yet' : `oldest ${duration(records.oldestSeconds)} ago`;
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
      <Figure
        title="Announced records"
        value={`${count(records.announced)} of ${count(records.records)}`}
        text={`${count(records.waiting)} waiting, ${count(records.failed)} failed, ${age}`}
      />
    </SimpleGrid>
  );
}

function Figure({ title, value, text }: { title: string; value: string; text: string }) {
  return (
    <Card withBorder padding="md" component="section" aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600}>{value}</Text>
      <Text size="sm">{text}</Text>
    </Card>
  );
}

function Addresses({ node }: { node: NetworkState['node'] }) {
  return (
    <Card withBorder padding="md" component="section" aria-label="This node">
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
    </Card>
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
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={600}>
        <Table verticalSpacing="xs" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Peer</Table.Th>
              <Table.Th>Agent</Table.Th>
              <Table.Th>Address</Table.Th>
              <Table.Th ta="right">Latency</Table.Th>
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {peers.map((row) => (
              <Table.Tr key={`${row.peer} ${row.address}`}>
                <Table.Td>
                  <Text size="sm" ff="monospace" title={row.peer}>
                    {short(row.peer)}
                  </Text>
                </Table.Td>
                <Table.Td>{row.agentVersion ?? 'unknown'}</Table.Td>
                <Table.Td>
                  <Text size="sm" title={row.address} truncate maw={280}>
                    {row.direction === 'inbound' ? 'from ' : 'to '}
                    {row.address}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">{row.latencyMs === undefined ? '' : `${Math.round(row.latencyMs)} ms`}</Table.Td>
                <Table.Td>
                  <Tooltip label="Disconnect">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      onClick={() => disconnect.mutate(row.peer)}
                      aria-label={`Disconnect ${short(row.peer)}`}
                    >
                      <IconPlugConnectedX size={18} />
                    </ActionIcon>
                  </Tooltip>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {total > peers.length && (
        <Text size="sm" c="dimmed" p="md">
          {count(peers.length)} of {count(total)} connections are shown.
        </Text>
      )}
    </Card>
  );
}
