import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { age, bytes, count, short } from '../../format.ts';
import { Answer, Section, StateDot } from '../../parts.tsx';
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
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Services of={state} />
            <Chains list={state.networks} />
          </SimpleGrid>
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
    <Section title="Services">
      {Object.entries(services).map(([name, { isReady, text }]) => (
        <div key={name}>
          <Group justify="space-between">
            <Text size="sm" fw={500}>
              {name}
            </Text>
            <State isGood={isReady} text={isReady ? 'ready' : 'not ready'} />
          </Group>
          {!isReady && (
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {text}
            </Text>
          )}
        </div>
      ))}
    </Section>
  );
}

function State({ isGood, text }: { isGood: boolean; text: string }) {
  return (
    <Group gap={8} wrap="nowrap">
      <StateDot color={isGood ? 'teal' : 'red'} />
      <Text size="sm">{text}</Text>
    </Group>
  );
}

function Chains({ list }: { list: readonly ChainState[] }) {
  return (
    <Section title="Chains">
      {list.map(({ name, error, head, lagSeconds = 0 }) => (
        <div key={name}>
          <Group justify="space-between">
            <Text size="sm" fw={500}>
              {name}
            </Text>
            <State isGood={error === undefined} text={error === undefined ? 'serves' : 'fails'} />
          </Group>
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            {head === undefined ? error : `Head ${count(head.number)}, ${age(lagSeconds)} old, ${short(head.hash)}`}
          </Text>
        </div>
      ))}
    </Section>
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
    <Section title="Held for accounts">
      {amounts.map(([name, amount]) => (
        <Group key={name} justify="space-between">
          <Text size="sm">{name}</Text>
          <Text size="sm">{amount}</Text>
        </Group>
      ))}
      {isCollecting && <Text size="sm">Garbage collection is running.</Text>}
    </Section>
  );
}

function Disk({ free, total }: HealthState['disk']) {
  const used = total === 0 ? 0 : Math.round(100 * (1 - free / total));
  return (
    <Section title="Disk of the console">
      <Progress value={used} color={used > 90 ? 'red' : undefined} aria-label={`${used} percent of the disk`} />
      <Text size="sm">
        {bytes(free)} of {bytes(total)} free
      </Text>
    </Section>
  );
}

function Queues({ fetches, mails }: HealthState['queues']) {
  return (
    <Section title="Waiting">
      <Group justify="space-between">
        <Text size="sm">Fetches from the IPFS network</Text>
        <Text size="sm">{count(fetches)}</Text>
      </Group>
      <Group justify="space-between">
        <Text size="sm">Mails of this console</Text>
        <Text size="sm">{mails === undefined ? 'no SMTP server' : count(mails)}</Text>
      </Group>
    </Section>
  );
}
