import { AreaChart, BarChart } from '@mantine/charts';
import { Card, Grid, Group, Progress, SegmentedControl, SimpleGrid, Stack, Table, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { Me, Plan, Usage, UsageGroup } from '../api.ts';
import { bytes, compact, count } from '../format.ts';
import { Answer, Empty, PageHead } from '../parts.tsx';
import { useApi } from '../use-api.ts';

type Span = 'hour' | 'day' | 'month';

/** Requests, credits, bytes and errors over time, and what is left of the plan. */
export function OverviewPage({ me }: { me: Me }) {
  const [span, setSpan] = useState<Span>('hour');
  const usage = useApi<Usage>(`usage?span=${span}`, { refreshMs: span === 'hour' ? 2000 : 15_000 });
  return (
    <>
      <PageHead title="Overview" text={me.account.name}>
        <SegmentedControl
          value={span}
          onChange={(value) => setSpan(value as Span)}
          aria-label="Span of time"
          data={[
            { value: 'hour', label: 'Hour' },
            { value: 'day', label: 'Day' },
            { value: 'month', label: 'Month' },
          ]}
        />
      </PageHead>
      <Answer query={usage}>
        {(data) => (
          <Stack>
            <Today plan={me.plan} quotaBytes={me.account.quotaBytes} usage={data} />
            <Charts span={span} usage={data} />
            <Details usage={data} />
          </Stack>
        )}
      </Answer>
    </>
  );
}

function Today({
  plan,
  quotaBytes,
  usage: { today, held },
}: {
  plan: Plan | undefined;
  quotaBytes: number | undefined;
  usage: Usage;
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Meter title="Credits today" used={today.credits} limit={plan?.creditsPerDay} show={compact} />
      <Meter title="Stored" used={held.bytes} limit={quotaBytes ?? plan?.storedBytes} show={bytes} />
      <Meter title="Received today" used={today.bytesIn} limit={plan?.bytesInPerDay} show={bytes} />
      <Meter title="Sent today" used={today.bytesOut} limit={plan?.bytesOutPerDay} show={bytes} />
    </SimpleGrid>
  );
}

function Meter({
  title,
  used,
  limit,
  show,
}: {
  title: string;
  used: number;
  limit: number | undefined;
  show: (value: number) => string;
}) {
  const share = limit ? Math.min(100, (used / limit) * 100) : 0;
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="xl" fw={700}>
        {show(used)}
      </Text>
      {limit !== undefined && (
        <Progress
          value={share}
          color={share >= 100 ? 'red' : share > 80 ? 'orange' : undefined}
          aria-label={`${title}: ${Math.round(share)} percent of the limit`}
          my={6}
        />
      )}
      <Text size="xs" c="dimmed">
        {limit === undefined ? 'no limit' : `of ${show(limit)}`}
      </Text>
    </Card>
  );
}

const labels: Readonly<Record<Span, Intl.DateTimeFormatOptions>> = {
  hour: { hour: '2-digit', minute: '2-digit' },
  day: { hour: '2-digit', minute: '2-digit' },
  month: { month: 'short', day: 'numeric' },
};

function Charts({ span, usage: { points, total } }: { span: Span; usage: Usage }) {
  const format = new Intl.DateTimeFormat(undefined, labels[span]);
  const data = points.map(({ at, requests, errors, limited, credits, storedBytes }) => ({
    at: format.format(at),
    Succeeded: requests - errors,
    Failed: errors - limited,
    Limited: limited,
    Credits: credits,
    Stored: storedBytes,
  }));
  const common = { h: 220, data, dataKey: 'at', withLegend: false } as const;
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 12 }}>
        <Figure
          title="Requests"
          text={`${count(total.requests)} requests, ${count(total.errors)} of them failed, ${count(total.limited)} refused by a limit`}
        >
          <BarChart
            {...common}
            type="stacked"
            valueFormatter={count}
            series={[
              { name: 'Succeeded', color: 'teal.6' },
              { name: 'Failed', color: 'red.6' },
              { name: 'Limited', color: 'orange.6' },
            ]}
          />
        </Figure>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Figure title="Credits" text={`${count(total.credits)} credits`}>
          <AreaChart
            {...common}
            withDots={false}
            curveType="step"
            valueFormatter={compact}
            series={[{ name: 'Credits', color: 'cyan.6' }]}
          />
        </Figure>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Figure title="Stored" text={`${bytes(data.at(-1)?.Stored ?? 0)} now`}>
          <AreaChart
            {...common}
            withDots={false}
            curveType="stepAfter"
            yAxisProps={{ width: 72 }}
            valueFormatter={bytes}
            series={[{ name: 'Stored', color: 'indigo.6' }]}
          />
        </Figure>
      </Grid.Col>
    </Grid>
  );
}

function Figure({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <Card withBorder padding="md" component="figure" m={0} aria-label={`${title}: ${text}`}>
      <Group justify="space-between" mb="sm" component="figcaption">
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed" data-testid={`total-${title.toLowerCase()}`}>
          {text}
        </Text>
      </Group>
      {children}
    </Card>
  );
}

function Details({ usage: { operations, keys, networks } }: { usage: Usage }) {
  if (operations.length === 0)
    return (
      <Empty title="No requests in this time">
        Make an API key, paste one of its snippets into a shell, and watch this page.
      </Empty>
    );
  return (
    <Card withBorder padding="md">
      <Tabs defaultValue="operations">
        <Tabs.List>
          <Tabs.Tab value="operations">By operation</Tabs.Tab>
          <Tabs.Tab value="keys">By key</Tabs.Tab>
          <Tabs.Tab value="networks">By network</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="operations">
          <Groups groups={operations} what="Operation" />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <Groups groups={keys} what="Key" />
        </Tabs.Panel>
        <Tabs.Panel value="networks">
          <Groups groups={networks} what="Network" />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

function Groups({ groups, what }: { groups: readonly UsageGroup[]; what: string }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{what}</Table.Th>
            {['Requests', 'Failed', 'Limited', 'Credits', 'Median', '99 %'].map((title) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ name, title, requests, errors, limited, credits, latencyMs }) => (
            <Table.Tr key={name}>
              <Table.Td>{title ?? name}</Table.Td>
              {[
                count(requests),
                count(errors - limited),
                count(limited),
                count(credits),
                milliseconds(latencyMs.p50),
                milliseconds(latencyMs.p99),
              ].map((cell, index) => (
                <Table.Td key={String(index)} ta="right">
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Upper bounds of what was measured. */
function milliseconds(value: number | null | undefined): string {
  if (value === undefined) return '–';
  return value === null ? '> 4 s' : value >= 1000 ? `≤ ${(value / 1000).toFixed(1)} s` : `≤ ${value} ms`;
}
