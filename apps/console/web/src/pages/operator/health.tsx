import { Badge, Card, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { bytes, count, duration, short } from '../../format.ts';
import { Answer } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

interface Readiness {
  readonly isReady: boolean;
  readonly text: string;
}

interface ChainState {
  readonly name: string;
  readonly error?: string;
  readonly head?: { readonly number: number; readonly hash: string };
  readonly lagSeconds?: number;
}

interface HealthState {
  readonly storage: Readiness;
  readonly gateway: Readiness;
  readonly ipfsGateway: Readiness;
  /** Absent without an IPFS peer. */
  readonly ipfsPeer?: Readiness;
  readonly held: { readonly accounts: number; readonly pins: number; readonly blocks: number; readonly bytes: number };
  readonly isCollecting: boolean;
  readonly networks: readonly ChainState[];
  /** `mails` is absent without an SMTP server. */
  readonly queues: { readonly fetches: number; readonly mails?: number };
  readonly disk: { readonly free: number; readonly total: number };
}

/** Readiness of the services, heads of the chains, queues, disk, and totals of the store. */
export function Health() {
  const health = useApi<HealthState>('operator/health', { refreshMs: 5000 });
  return (
    <Answer query={health}>
      {(state) => (
        <Stack>
          <Services of={state} />
          <Title order={2} size="h4">
            Chains
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {state.networks.map((chain) => (
              <Chain key={chain.name} of={chain} />
            ))}
          </SimpleGrid>
          <Title order={2} size="h4">
            Store and queues
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <Held of={state} />
            <Disk {...state.disk} />
            <Queues {...state.queues} />
          </SimpleGrid>
        </Stack>
      )}
    </Answer>
  );
}

function Services({ of: { storage, gateway, ipfsGateway, ipfsPeer } }: { of: HealthState }) {
  const services = {
    'Storage API': storage,
    'JSON-RPC gateway': gateway,
    'IPFS gateway': ipfsGateway,
    ...(ipfsPeer && { 'IPFS peer': ipfsPeer }),
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      {Object.entries(services).map(([name, { isReady, text }]) => (
        <Card key={name} withBorder padding="md">
          <Group justify="space-between">
            <Text fw={600}>{name}</Text>
            <Badge color={isReady ? 'teal' : 'red'}>{isReady ? 'ready' : 'not ready'}</Badge>
          </Group>
          {!isReady && <Text size="sm">{text}</Text>}
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Chain({ of: { name, error, head, lagSeconds = 0 } }: { of: ChainState }) {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between">
        <Text fw={600}>{name}</Text>
        <Badge color={error === undefined ? 'teal' : 'red'}>{error === undefined ? 'serves' : 'fails'}</Badge>
      </Group>
      <Text size="sm" className="wrap-anywhere">
        {head === undefined
          ? error
          : `Head ${count(head.number)}, ${short(head.hash)}, made ${duration(lagSeconds)} ago`}
      </Text>
    </Card>
  );
}

function Held({ of: { held, isCollecting } }: { of: HealthState }) {
  const amounts = [
    ['Accounts', count(held.accounts)],
    ['Pins', count(held.pins)],
    ['Blocks', count(held.blocks)],
    ['Bytes', bytes(held.bytes)],
  ] as const;
  return (
    <Card withBorder padding="md">
      <Text fw={600}>Held for accounts</Text>
      {amounts.map(([name, amount]) => (
        <Group key={name} justify="space-between">
          <Text size="sm">{name}</Text>
          <Text size="sm">{amount}</Text>
        </Group>
      ))}
      {isCollecting && <Text size="sm">Garbage collection is running.</Text>}
    </Card>
  );
}

function Disk({ free, total }: HealthState['disk']) {
  const used = total === 0 ? 0 : Math.round(100 * (1 - free / total));
  return (
    <Card withBorder padding="md">
      <Text fw={600}>Disk of the console</Text>
      <Progress value={used} color={used > 90 ? 'red' : undefined} aria-label={`${used} percent of the disk`} my={6} />
      <Text size="sm">
        {bytes(free)} of {bytes(total)} free
      </Text>
    </Card>
  );
}

function Queues({ fetches, mails }: HealthState['queues']) {
  return (
    <Card withBorder padding="md">
      <Text fw={600}>Waiting</Text>
      <Group justify="space-between">
        <Text size="sm">Fetches from the IPFS network</Text>
        <Text size="sm">{count(fetches)}</Text>
      </Group>
      <Group justify="space-between">
        <Text size="sm">Mails of this console</Text>
        <Text size="sm">{mails === undefined ? 'no SMTP server' : count(mails)}</Text>
      </Group>
    </Card>
  );
}
