import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ServiceStatus } from '../api.ts';
import { age, count } from '../format.ts';
import { Answer, PageHead, StateDot } from '../parts.tsx';
import { useApi } from '../use-api.ts';

/** State of the services and networks, for every member. */
export function StatusPage() {
  const status = useApi<ServiceStatus>('status', { refreshMs: 10_000 });
  return (
    <>
      <PageHead title="Status" text="What works now. Checked every ten seconds while this page is open." />
      <Answer query={status}>
        {({ services, networks }) => (
          <SimpleGrid cols={{ base: 1, md: 2 }} className="align-start">
            <States
              title="Services"
              rows={services.map(({ name, isReady, isDeployed }) => ({
                name,
                color: isDeployed ? colorOf(isReady) : 'gray',
                text: isDeployed ? (isReady ? 'works' : 'not ready') : 'not deployed',
              }))}
            />
            <States
              title="Networks"
              rows={networks.map(({ name, isServed, head = 0, lagSeconds = 0 }) => ({
                name,
                color: colorOf(isServed),
                text: isServed ? `block ${count(head)}, ${age(lagSeconds)} old` : 'not served',
              }))}
            />
          </SimpleGrid>
        )}
      </Answer>
    </>
  );
}

function colorOf(isGood: boolean): 'teal' | 'red' {
  return isGood ? 'teal' : 'red';
}

interface State {
  readonly name: string;
  readonly color: 'teal' | 'red' | 'gray';
  readonly text: string;
}

function States({ title, rows }: { title: string; rows: readonly State[] }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <Stack gap="xs" component="ul" m={0} p={0} className="plain-list">
        {rows.map(({ name, color, text }) => (
          <Group key={name} component="li" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <StateDot color={color} />
              <Text>{name}</Text>
            </Group>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
