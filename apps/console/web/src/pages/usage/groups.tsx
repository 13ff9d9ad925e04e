import { Button, Card, Table, Tabs } from '@mantine/core';
import type { Usage, UsageGroup } from '../../api.ts';
import { count } from '../../format.ts';
import { Empty } from '../../parts.tsx';

/** Filter of the charts. */
export interface Filter {
  readonly by: 'operation' | 'key' | 'network';
  readonly name: string;
  readonly title: string;
}

interface Choice {
  readonly filter: Filter | undefined;
  readonly onFilter: (filter: Filter | undefined) => void;
}

/** Usage by operation, key and network. A row selects what the charts show. */
export function Groups({ usage: { operations, keys, networks }, ...choice }: { usage: Usage } & Choice) {
  if (operations.length === 0)
    return <Empty title="No requests in this time">The overview has addresses and example code for each key.</Empty>;
  return (
    <Card withBorder padding="md">
      <Tabs defaultValue="operation">
        <Tabs.List>
          <Tabs.Tab value="operation">By operation</Tabs.Tab>
          <Tabs.Tab value="key">By key</Tabs.Tab>
          <Tabs.Tab value="network">By network</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="operation">
          <GroupTable groups={operations} by="operation" {...choice} />
        </Tabs.Panel>
        <Tabs.Panel value="key">
          <GroupTable groups={keys} by="key" {...choice} />
        </Tabs.Panel>
        <Tabs.Panel value="network">
          <GroupTable groups={networks} by="network" {...choice} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

const groupTitles = { operation: 'Operation', key: 'Key', network: 'Network' } as const;

function GroupTable({ groups, by, filter, onFilter }: { groups: readonly UsageGroup[]; by: Filter['by'] } & Choice) {
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
export function milliseconds(value: number | null | undefined): string {
  if (value === undefined) return '–';
  return value === null ? '> 4 s' : value >= 1000 ? `≤ ${(value / 1000).toFixed(1)} s` : `≤ ${value} ms`;
}
