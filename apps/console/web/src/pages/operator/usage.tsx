import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Card, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { UsageGroup } from '../../api.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { ago, bytes, compact, count } from '../../format.ts';
import { Answer, Empty, Section } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';
import { milliseconds } from '../usage/groups.tsx';
import { evenTicks } from '../usage/ticks.ts';

type Sums = Omit<UsageGroup, 'name'>;
type AccountGroup = UsageGroup & { readonly plan: string };

interface ServiceUsage {
  readonly asOf: number;
  readonly stepMs: number;
  readonly total: Sums;
  readonly points: readonly (Pick<Sums, 'requests' | 'errors' | 'limited'> & { readonly at: number })[];
  readonly activeAccounts: number;
  readonly accounts: readonly AccountGroup[];
  readonly services: readonly UsageGroup[];
  readonly operations: readonly UsageGroup[];
  readonly networks: readonly UsageGroup[];
}

const dayMs = 86_400_000;

/** Usage of all accounts: the busiest accounts and operations, failures and latency. */
export function ServiceUsagePage() {
  const [span, setSpan] = useState('day');
  const usage = useApi<ServiceUsage>(`operator/usage?span=${span}`, { refreshMs: 15_000 });
  return (
    <Stack>
      <SegmentedControl
        w="fit-content"
        value={span}
        onChange={setSpan}
        aria-label="Span of time"
        data={[
          { value: 'hour', label: 'Hour' },
          { value: 'day', label: 'Day' },
          { value: 'month', label: 'Month' },
        ]}
      />
      <Answer query={usage}>
        {(data) =>
          data.total.requests === 0 ? (
            <Empty title="No requests in this time">Requests of all accounts appear here within seconds.</Empty>
          ) : (
            <Stack>
              <Figures usage={data} />
              <RequestChart usage={data} />
              <Groups title="Accounts by credits" first="Account" groups={data.accounts} />
              <Groups title="Operations" first="Operation" groups={data.operations} />
              <Groups title="Services" first="Service" groups={data.services} />
              {data.networks.length > 0 && <Groups title="Networks" first="Network" groups={data.networks} />}
              <Text size="sm" c="dimmed">
                Added up {ago(data.asOf)}. Latencies are upper bounds of the measured values.
              </Text>
            </Stack>
          )
        }
      </Answer>
    </Stack>
  );
}

function Figures({ usage: { total, activeAccounts } }: { usage: ServiceUsage }) {
  const share = (part: number) => `${((100 * part) / Math.max(1, total.requests)).toFixed(1)} %`;
  const figures = [
    ['Active accounts', count(activeAccounts)],
    ['Requests', count(total.requests)],
    ['Failed', share(total.errors - total.limited)],
    ['Refused by a limit', share(total.limited)],
    ['Credits', compact(total.credits)],
    ['Sent', bytes(total.bytesOut)],
    ['Received', bytes(total.bytesIn)],
    ['Latency, 99 %', milliseconds(total.latencyMs.p99)],
  ];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {figures.map(([title, value]) => (
        <Card key={title} withBorder padding="md">
          <Text size="sm" c="dimmed">
            {title}
          </Text>
          <Text fw={600} size="lg" className="number">
            {value}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function RequestChart({ usage: { points, stepMs } }: { usage: ServiceUsage }) {
  const zone = stepMs >= dayMs ? { timeZone: 'UTC' } : {};
  const day = { month: 'short', day: 'numeric' } as const;
  const hour = { hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat(undefined, { ...zone, ...day, ...(stepMs < dayMs && hour) });
  const short = new Intl.DateTimeFormat(undefined, { ...zone, ...(stepMs < dayMs ? hour : day) });
  const titles = new Map(points.map(({ at }) => [format.format(at), short.format(at)]));
  const ticks = [...evenTicks(Math.max(0, ...points.map(({ requests }) => requests)), 1000)];
  return (
    <Card withBorder padding="md" component="figure" m={0} aria-label="Requests of all accounts over time">
      <Text fw={600} component="figcaption" mb="sm">
        Requests
      </Text>
      <BarChart
        h={220}
        type="stacked"
        dataKey="at"
        withLegend
        data={points.map(({ at, requests, errors, limited }) => ({
          at: format.format(at),
          Succeeded: requests - errors,
          Failed: errors - limited,
          Limited: limited,
        }))}
        yAxisProps={{ ticks, domain: [0, ticks.at(-1) ?? 1], width: 56 }}
        xAxisProps={{ interval: 'preserveStart', tickFormatter: (at: string) => titles.get(at) ?? at }}
        valueFormatter={compact}
        series={[
          { name: 'Succeeded', color: 'teal.6' },
          { name: 'Failed', color: 'red.6' },
          { name: 'Limited', color: 'orange.6' },
        ]}
      />
    </Card>
  );
}

type Group = UsageGroup & { readonly plan?: string };

function Groups({ title, first, groups }: { title: string; first: string; groups: readonly Group[] }) {
  const columns: readonly Column<Group>[] = [
    {
      title: first,
      show: ({ name, title: shown = name, plan }) => (
        <>
          {shown}
          {plan !== undefined && (
            <Text span size="xs" c="dimmed" ml={8}>
              {plan}
            </Text>
          )}
        </>
      ),
    },
    { title: 'Requests', isNumber: true, show: ({ requests }) => count(requests) },
    { title: 'Failed', isNumber: true, show: ({ errors, limited }) => count(errors - limited) },
    { title: 'Limited', isNumber: true, show: ({ limited }) => count(limited) },
    { title: 'Credits', isNumber: true, show: ({ credits }) => count(credits) },
    { title: 'Sent', isNumber: true, show: ({ bytesOut }) => bytes(bytesOut) },
    { title: 'Median', isNumber: true, show: ({ latencyMs }) => milliseconds(latencyMs.p50) },
    { title: '99 %', isNumber: true, show: ({ latencyMs }) => milliseconds(latencyMs.p99) },
  ];
  return (
    <Section title={title} isFlush>
      <DataTable label={title} rows={groups} columns={columns} keyOf={({ name }) => name} />
    </Section>
  );
}
