import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { Button, Card, Grid, Group, SegmentedControl, Stack, Table, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { Usage, UsageGroup } from '../api.ts';
import { bytes, compact, count } from '../format.ts';
import { Answer, Empty, PageHead } from '../parts.tsx';
import { useApi } from '../use-api.ts';

type Span = 'hour' | 'day' | 'month';

/** Filter of the charts. */
interface Filter {
  readonly by: 'operation' | 'key' | 'network';
  readonly name: string;
  readonly title: string;
}

/** Requests, credits, bytes and errors over time. */
export function UsagePage() {
  const [span, setSpan] = useState<Span>('hour');
  const [filter, setFilter] = useState<Filter>();
  const query = new URLSearchParams({ span, ...(filter && { [filter.by]: filter.name }) });
  const usage = useApi<Usage>(`usage?${query}`, { refreshMs: span === 'hour' ? 2000 : 15_000 });
  return (
    <>
      <PageHead title="Usage" text="Requests of all keys of the account.">
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
            {filter !== undefined && (
              <Group>
                <Text size="sm">
                  {filter.by}: {filter.title}
                </Text>
                <Button size="compact-sm" variant="default" onClick={() => setFilter(undefined)}>
                  Show all
                </Button>
              </Group>
            )}
            <Charts span={span} usage={data} />
            <Details usage={data} filter={filter} onFilter={setFilter} />
          </Stack>
        )}
      </Answer>
    </>
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

interface Choice {
  readonly filter: Filter | undefined;
  readonly onFilter: (filter: Filter | undefined) => void;
}

function Details({ usage: { operations, keys, networks }, ...choice }: { usage: Usage } & Choice) {
  if (operations.length === 0)
    return (
      <Empty title="No requests in this time">
        Make an API key, paste one of its snippets into a shell, and watch this page.
      </Empty>
    );
  return (
    <Card withBorder padding="md">
      <Tabs defaultValue="operation">
        <Tabs.List>
          <Tabs.Tab value="operation">By operation</Tabs.Tab>
          <Tabs.Tab value="key">By key</Tabs.Tab>
          <Tabs.Tab value="network">By network</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="operation">
          <Groups groups={operations} by="operation" {...choice} />
        </Tabs.Panel>
        <Tabs.Panel value="key">
          <Groups groups={keys} by="key" {...choice} />
        </Tabs.Panel>
        <Tabs.Panel value="network">
          <Groups groups={networks} by="network" {...choice} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

const groupTitles = { operation: 'Operation', key: 'Key', network: 'Network' } as const;

function Groups({ groups, by, filter, onFilter }: { groups: readonly UsageGroup[]; by: Filter['by'] } & Choice) {
  const isChosen = (name: string) => filter?.by === by && filter.name === name;
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{groupTitles[by]}</Table.Th>
            {['Requests', 'Failed', 'Limited', 'Credits', 'Median', '99 %'].map((title) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ name, title = name, requests, errors, limited, credits, latencyMs }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Button
                  variant={isChosen(name) ? 'filled' : 'subtle'}
                  size="compact-sm"
                  aria-pressed={isChosen(name)}
                  onClick={() => onFilter(isChosen(name) ? undefined : { by, name, title })}
                >
                  {title}
                </Button>
              </Table.Td>
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

/** Latencies, as upper bounds of the measured values. */
function milliseconds(value: number | null | undefined): string {
  if (value === undefined) return '–';
  return value === null ? '> 4 s' : value >= 1000 ? `≤ ${(value / 1000).toFixed(1)} s` : `≤ ${value} ms`;
}
