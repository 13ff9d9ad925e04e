import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { Card, Grid, Group, Text } from '@mantine/core';
import type { Usage } from '../../api.ts';
import { bytes, compact, count } from '../../format.ts';
import { evenTicks, timeTicks } from './ticks.ts';

const day = 86_400_000;

/** Charts of a range: requests by outcome, credits and stored bytes. */
export function Charts({ usage: { points, total, stepMs } }: { usage: Usage }) {
  // Days are days of UTC, as in statements and limits. Hours and minutes are those of the viewer.
  const zone = stepMs >= day ? { timeZone: 'UTC' } : {};
  const short = new Intl.DateTimeFormat(undefined, {
    ...zone,
    ...(stepMs >= day ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' }),
  });
  const full = new Intl.DateTimeFormat(undefined, {
    ...zone,
    ...{ month: 'short', day: 'numeric' },
    ...(stepMs < day && { hour: '2-digit', minute: '2-digit' }),
  });
  const offsetMs = stepMs >= day ? 0 : -new Date().getTimezoneOffset() * 60_000;
  const titles = new Map(points.map(({ at }) => [full.format(at), short.format(at)]));
  const data = points.map(({ at, requests, errors, limited, credits, storedBytes }) => ({
    at: full.format(at),
    Succeeded: requests - errors,
    Failed: errors - limited,
    Limited: limited,
    Credits: credits,
    Stored: storedBytes,
  }));
  const times = points.map(({ at }) => at);
  const xAxisProps = {
    ticks: timeTicks(times, stepMs, offsetMs).map((at) => full.format(at)),
    interval: 'preserveStart' as const,
    tickFormatter: (title: string) => titles.get(title) ?? title,
  };
  const yAxis = (values: readonly number[], base: 1000 | 1024 = 1000) => {
    const ticks = [...evenTicks(Math.max(0, ...values), base)];
    return { ticks, domain: [0, ticks.at(-1) ?? 1], width: base === 1024 ? 72 : 56 };
  };
  const common = { h: 220, data, dataKey: 'at', withLegend: true, xAxisProps } as const;
  return (
    <Grid>
      <Grid.Col span={12}>
        <Figure
          title="Requests"
          text={`${count(total.requests)} ${total.requests === 1 ? 'request' : 'requests'}, ${count(total.errors - total.limited)} failed, ${count(total.limited)} refused by a limit`}
        >
          <BarChart
            {...common}
            type="stacked"
            yAxisProps={yAxis(points.map(({ requests }) => requests))}
            valueFormatter={compact}
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
            yAxisProps={yAxis(points.map(({ credits }) => credits))}
            valueFormatter={compact}
            series={[{ name: 'Credits', color: 'cyan.6' }]}
          />
        </Figure>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Figure title="Stored" text={`${bytes(data.at(-1)?.Stored ?? 0)} at the end`}>
          <AreaChart
            {...common}
            withDots={false}
            curveType="stepAfter"
            yAxisProps={yAxis(
              points.map(({ storedBytes }) => storedBytes),
              1024,
            )}
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
