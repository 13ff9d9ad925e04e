import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'wouter';
import type { Me, Usage } from '../api.ts';
import { PageTabs } from '../page-tabs.tsx';
import { Answer, PageHead } from '../parts.tsx';
import { useApi } from '../use-api.ts';
import { Alerts } from './usage/alerts.tsx';
import { Charts } from './usage/charts.tsx';
import { type Filter, Groups } from './usage/groups.tsx';
import { Refusals } from './usage/refusals.tsx';
import { RequestLog } from './usage/request-log.tsx';

const tabs = [
  { name: 'charts', title: 'Charts', path: '/usage/charts' },
  { name: 'requests', title: 'Request log', path: '/usage/requests' },
  { name: 'limits', title: 'Refusals and origins', path: '/usage/limits' },
  { name: 'alerts', title: 'Alerts', path: '/usage/alerts' },
] as const;

/** Requests over time, one by one, and those that a limit refused. */
export function UsagePage({ me }: { me: Me }) {
  const { tab } = useParams<{ tab?: string }>();
  const shown = tabs.find(({ name }) => name === tab)?.name ?? 'charts';
  return (
    <>
      <PageHead title="Usage" text="Requests of all keys of the account." />
      <PageTabs tabs={tabs} shown={shown}>
        {shown === 'charts' && <OverTime />}
        {shown === 'requests' && <RequestLog me={me} />}
        {shown === 'limits' && <Refusals me={me} />}
        {shown === 'alerts' && <Alerts me={me} />}
      </PageTabs>
    </>
  );
}

type Span = 'hour' | 'day' | 'month' | 'days';

/** Requests, credits, bytes and errors over time. */
function OverTime() {
  const today = new Date().toISOString().slice(0, 10);
  const [span, setSpan] = useState<Span>('hour');
  const [days, setDays] = useState({ from: today, to: today });
  const [filter, setFilter] = useState<Filter>();
  const range = span === 'days' ? days : { span };
  const query = new URLSearchParams({ ...range, ...(filter && { [filter.by]: filter.name }) });
  const usage = useApi<Usage>(`usage?${query}`, { refreshMs: span === 'hour' ? 2000 : 15_000 });
  return (
    <Stack>
      <Group align="flex-end">
        <SegmentedControl
          value={span}
          onChange={(value) => setSpan(value as Span)}
          aria-label="Span of time"
          data={[
            { value: 'hour', label: 'Hour' },
            { value: 'day', label: 'Day' },
            { value: 'month', label: 'Month' },
            { value: 'days', label: 'Dates' },
          ]}
        />
        {span === 'days' &&
          (['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="date"
              label={end === 'from' ? 'From (UTC)' : 'To (UTC)'}
              max={today}
              value={days[end]}
              onChange={(event) => {
                const { value } = event.currentTarget;
                // An incomplete date is empty.
                if (value !== '') setDays({ ...days, [end]: value });
              }}
            />
          ))}
      </Group>
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
            <Charts usage={data} />
            <Groups usage={data} filter={filter} onFilter={setFilter} />
          </Stack>
        )}
      </Answer>
    </Stack>
  );
}
