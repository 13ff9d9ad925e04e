import { Card, Tabs, UnstyledButton } from '@mantine/core';
import type { Usage, UsageGroup } from '../../api.ts';
import { type Column, DataTable } from '../../data-table.tsx';
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
    <Card withBorder padding={0}>
      <Tabs defaultValue="operation">
        <Tabs.List px="xs">
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
  const columns: readonly Column<UsageGroup>[] = [
    {
      title: groupTitles[by],
      show: ({ name, title = name }) => (
        <UnstyledButton
          className="text-button"
          aria-pressed={isChosen(name)}
          onClick={() => onFilter(isChosen(name) ? undefined : { by, name, title })}
        >
          {title}
        </UnstyledButton>
      ),
    },
    { title: 'Requests', isNumber: true, show: ({ requests }) => count(requests) },
    { title: 'Failed', isNumber: true, show: ({ errors, limited }) => count(errors - limited) },
    { title: 'Limited', isNumber: true, show: ({ limited }) => count(limited) },
    { title: 'Credits', isNumber: true, show: ({ credits }) => count(credits) },
    { title: 'Median', isNumber: true, show: ({ latencyMs }) => milliseconds(latencyMs.p50) },
    { title: '99 %', isNumber: true, show: ({ latencyMs }) => milliseconds(latencyMs.p99) },
  ];
  return <DataTable label={groupTitles[by]} rows={groups} columns={columns} keyOf={({ name }) => name} />;
}

/** Latencies, as upper bounds of the measured values. */
export function milliseconds(value: number | null | undefined): string {
  if (value === undefined) return '–';
  return value === null ? '> 4 s' : value >= 1000 ? `≤ ${(value / 1000).toFixed(1)} s` : `≤ ${value} ms`;
}
