import { Badge, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { bytes, count } from '../../format.ts';
import { Answer } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

interface Readiness {
  readonly isReady: boolean;
  readonly text: string;
}

interface HealthState {
  readonly storage: Readiness;
  readonly gateway: Readiness;
  readonly ipfsGateway: Readiness;
  /** Absent without an IPFS peer. */
  readonly ipfsPeer?: Readiness;
  readonly held: { readonly accounts: number; readonly pins: number; readonly blocks: number; readonly bytes: number };
  readonly isCollecting: boolean;
}

/** Readiness of the services, and totals of the store. */
export function Health() {
  const health = useApi<HealthState>('operator/health', { refreshMs: 5000 });
  return (
    <Answer query={health}>
      {({ storage, gateway, ipfsGateway, ipfsPeer, held, isCollecting }) => (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {Object.entries({
            'Storage API': storage,
            'JSON-RPC gateway': gateway,
            'IPFS gateway': ipfsGateway,
            ...(ipfsPeer && { 'IPFS peer': ipfsPeer }),
          }).map(([name, { isReady, text }]) => (
            <Card key={name} withBorder padding="md">
              <Group justify="space-between">
                <Text fw={600}>{name}</Text>
                <Badge color={isReady ? 'teal' : 'red'}>{isReady ? 'ready' : 'not ready'}</Badge>
              </Group>
              {!isReady && <Text size="sm">{text}</Text>}
            </Card>
          ))}
          <Card withBorder padding="md">
            <Text fw={600}>Held</Text>
            <Text size="sm">
              {count(held.accounts)} accounts, {count(held.pins)} pins, {count(held.blocks)} blocks, {bytes(held.bytes)}
            </Text>
            {isCollecting && <Text size="sm">Garbage collection is running.</Text>}
          </Card>
        </SimpleGrid>
      )}
    </Answer>
  );
}
