import { Card, Stack, Table, Text, Title } from '@mantine/core';
import type { Me, RequestPage } from '../../api.ts';
import { ago, bytes, count, duration } from '../../format.ts';
import { Answer, Empty } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

const dayMs = 86_400_000;

interface LimitWords {
  readonly title: string;
  readonly show: (value: number) => string;
  readonly reset: (now: number) => string;
}

const midnight = (now: number) => `in ${duration((dayMs - (now % dayMs)) / 1000)}, at midnight UTC`;

/** Limits in words: title, unit, and when each resets. */
const limits: Readonly<Record<string, LimitWords>> = {
  requestsPerSecond: {
    title: 'Requests a second',
    show: (value) => `${count(value)} a second`,
    reset: () => 'within a second',
  },
  creditsPerDay: { title: 'Credits a day', show: count, reset: midnight },
  bytesInPerDay: { title: 'Bytes received a day', show: bytes, reset: midnight },
  bytesOutPerDay: { title: 'Bytes sent a day', show: bytes, reset: midnight },
  concurrentRequests: { title: 'Concurrent requests', show: count, reset: () => 'when a running request ends' },
  webSockets: { title: 'Open WebSockets', show: count, reset: () => 'when a connection closes' },
};

/** Limits that refused requests of the log, when each resets, and requests by web origin. */
export function Refusals({ me }: { me: Me }) {
  const log = useApi<RequestPage>('requests?count=1', { refreshMs: 5000 });
  const plan: Readonly<Record<string, unknown>> = { ...me.plan };
  return (
    <Answer query={log}>
      {({ refusals, origins, logged }) => (
        <Stack>
          <Card withBorder padding="md">
            <Title order={2} size="h4" mb="xs">
              Refused by a limit
            </Title>
            <Text size="sm" c="dimmed">
              Among the last {count(logged)} requests.
            </Text>
            {refusals.length === 0 ? (
              <Empty title="No limit refused a request" />
            ) : (
              <Table.ScrollContainer minWidth={560}>
                <Table verticalSpacing="xs">
                  <Table.Thead>
                    <Table.Tr>
                      {['Limit', 'Value', 'Operation', 'Refused', 'Last', 'Resets'].map((title) => (
                        <Table.Th key={title}>{title}</Table.Th>
                      ))}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {refusals.map(({ limit, operation, count: refused, lastAt }) => {
                      const words = limits[limit];
                      const value = plan[limit];
                      return (
                        <Table.Tr key={`${limit} ${operation}`}>
                          <Table.Td>{words?.title ?? limit}</Table.Td>
                          <Table.Td>{typeof value === 'number' && words ? words.show(value) : '–'}</Table.Td>
                          <Table.Td>{operation}</Table.Td>
                          <Table.Td>{count(refused)}</Table.Td>
                          <Table.Td>{ago(lastAt)}</Table.Td>
                          <Table.Td>{words?.reset(Date.now()) ?? '–'}</Table.Td>
                        </Table.Tr>
                      );
                    })}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            )}
          </Card>
          <Card withBorder padding="md">
            <Title order={2} size="h4" mb="xs">
              By origin
            </Title>
            <Table.ScrollContainer minWidth={420}>
              <Table verticalSpacing="xs">
                <Table.Thead>
                  <Table.Tr>
                    {['Web origin', 'Requests', 'Failed', 'Limited'].map((title) => (
                      <Table.Th key={title}>{title}</Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {origins.map(({ origin, requests, errors, limited }) => (
                    <Table.Tr key={origin}>
                      <Table.Td>{origin === '' ? 'none (servers and tools)' : origin}</Table.Td>
                      <Table.Td>{count(requests)}</Table.Td>
                      <Table.Td>{count(errors)}</Table.Td>
                      <Table.Td>{count(limited)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          </Card>
        </Stack>
      )}
    </Answer>
  );
}
