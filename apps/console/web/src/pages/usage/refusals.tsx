import { Stack } from '@mantine/core';
import type { Me, RequestPage } from '../../api.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { ago, bytes, count, duration } from '../../format.ts';
import { Answer, Empty, Section } from '../../parts.tsx';
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

type Refusal = RequestPage['refusals'][number];
type Origin = RequestPage['origins'][number];

/** Limits that refused requests of the log, when each resets, and requests by web origin. */
export function Refusals({ me }: { me: Me }) {
  const log = useApi<RequestPage>('requests?count=1', { refreshMs: 5000 });
  return (
    <Answer query={log}>
      {({ refusals, origins, logged }) => (
        <Stack>
          <Section title="Refused by a limit" text={`Among the last ${count(logged)} requests.`} isFlush>
            {refusals.length === 0 ? (
              <Empty title="No limit refused a request">
                The limits are those of the plan {me.plan?.title}. The page Billing lists them.
              </Empty>
            ) : (
              <DataTable
                label="Refused by a limit"
                rows={refusals}
                columns={refusalColumns(me)}
                keyOf={({ limit, operation }) => `${limit} ${operation}`}
              />
            )}
          </Section>
          <Section title="By origin" text="Web pages that sent requests, by the header Origin." isFlush>
            {origins.length === 0 ? (
              <Empty title="No requests yet">Requests appear here within two seconds.</Empty>
            ) : (
              <DataTable
                label="By origin"
                minWidth={420}
                rows={origins}
                columns={originColumns}
                keyOf={({ origin }) => origin}
              />
            )}
          </Section>
        </Stack>
      )}
    </Answer>
  );
}

function refusalColumns(me: Me): readonly Column<Refusal>[] {
  const plan: Readonly<Record<string, unknown>> = { ...me.plan };
  return [
    { title: 'Limit', show: ({ limit }) => limits[limit]?.title ?? limit },
    {
      title: 'Value',
      show: ({ limit }) => {
        const value = plan[limit];
        return typeof value === 'number' ? (limits[limit]?.show(value) ?? '–') : '–';
      },
    },
    { title: 'Operation', show: ({ operation }) => operation },
    { title: 'Refused', isNumber: true, show: ({ count: refused }) => count(refused) },
    { title: 'Last', show: ({ lastAt }) => ago(lastAt) },
    { title: 'Resets', show: ({ limit }) => limits[limit]?.reset(Date.now()) ?? '–' },
  ];
}

const originColumns: readonly Column<Origin>[] = [
  { title: 'Web origin', show: ({ origin }) => (origin === '' ? 'none (servers and tools)' : origin) },
  { title: 'Requests', isNumber: true, show: ({ requests }) => count(requests) },
  { title: 'Failed', isNumber: true, show: ({ errors }) => count(errors) },
  { title: 'Limited', isNumber: true, show: ({ limited }) => count(limited) },
];
