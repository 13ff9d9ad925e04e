import { Badge, Button, Group, Select, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api, type Card as BillingCard, type Me, type Plan } from '../api.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { bytes, count, money, time } from '../format.ts';
import { Answer, Empty, PageHead, Section } from '../parts.tsx';
import { useApi, useChange, useRight } from '../use-api.ts';
import { ChangePlan, priceOf } from './billing/change-plan.tsx';
import { Invoices } from './billing/invoices.tsx';

interface Billing {
  readonly provider: 'local' | 'stripe';
  readonly card?: BillingCard;
  readonly months: readonly string[];
}

interface Statement {
  readonly lines: readonly Line[];
  readonly total: Omit<Line, 'service' | 'operation' | 'network' | 'key'>;
  readonly storedBytes: { readonly most: number; readonly mean: number };
  readonly charges: readonly Charge[];
}

/** Amount for a plan in a part of the month. */
interface Charge {
  readonly plan: string;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly currency: string;
}

interface Line {
  readonly service: string;
  readonly operation: string;
  readonly network: string;
  readonly key: string;
  readonly requests: number;
  readonly errors: number;
  readonly credits: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** The billing card, the plan, and the usage by month. */
export function BillingPage({ me }: { me: Me }) {
  const billing = useApi<Billing>('billing', { refreshMs: 5000 });
  return (
    <>
      <PageHead title="Billing" text="The card, the plan with its limits, and what each month used." />
      <Answer query={billing}>
        {(data) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, md: 2 }} className="align-start">
              <CardStatus billing={data} />
              <PlanCard plan={me.plan} current={me.account.plan} />
            </SimpleGrid>
            {data.provider === 'stripe' && <Invoices />}
            <Statements months={data.months} />
          </Stack>
        )}
      </Answer>
    </>
  );
}

type Step = { readonly kind: 'redirect'; readonly url: string } | { readonly kind: 'ask'; readonly text: string };

function CardStatus({ billing: { card, provider } }: { billing: Billing }) {
  const mayPay = useRight('bill');
  const attach = useChange(async () => {
    const step = await api<Step>('billing/attach', { method: 'POST' });
    if (step.kind === 'redirect') location.assign(step.url);
    return step;
  });
  return (
    <Section
      title="Billing card"
      actions={<Badge color={card ? 'teal' : 'orange'}>{card ? 'attached' : 'none'}</Badge>}
    >
      <Text size="sm">
        {card
          ? `${card.brand} ending in ${card.last4}, since ${time(card.attachedAt)}`
          : 'Storage requires a card, also on the free plan.'}
      </Text>
      {!mayPay ? null : attach.data?.kind === 'ask' ? (
        <Text size="sm" c="dimmed" role="status">
          {attach.data.text}
        </Text>
      ) : (
        <Button
          variant={card ? 'default' : 'filled'}
          loading={attach.isPending}
          onClick={() => attach.mutate(undefined)}
        >
          {card ? 'Replace the card' : provider === 'stripe' ? 'Attach a card' : 'How to attach a card'}
        </Button>
      )}
    </Section>
  );
}

function PlanCard({ plan, current }: { plan: Plan | undefined; current: string }) {
  const mayPay = useRight('bill');
  const [isChanging, setIsChanging] = useState(false);
  const limits: [string, number | undefined, (value: number) => string][] = [
    ['Requests per second', plan?.requestsPerSecond, count],
    ['Burst of requests', plan?.burst, count],
    ['Credits per day', plan?.creditsPerDay, count],
    ['Stored', plan?.storedBytes, bytes],
    ['Received bytes per day', plan?.bytesInPerDay, bytes],
    ['Sent bytes per day', plan?.bytesOutPerDay, bytes],
    ['Concurrent requests, JSON-RPC and storage each', plan?.concurrentRequests, count],
    ['WebSocket connections', plan?.webSockets, count],
  ];
  return (
    <Section title={`Plan: ${plan?.title ?? 'none'}`} actions={<Text size="sm">{plan && priceOf(plan)}</Text>}>
      <Stack gap={6}>
        {limits.map(([name, limit, show]) => (
          <Group key={name} justify="space-between" wrap="nowrap">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="sm" className="number" ta="right">
              {limit === undefined ? 'no limit' : show(limit)}
            </Text>
          </Group>
        ))}
      </Stack>
      {mayPay && (
        <Button variant="default" onClick={() => setIsChanging(true)}>
          Change the plan
        </Button>
      )}
      {isChanging && <ChangePlan current={current} onClose={() => setIsChanging(false)} />}
    </Section>
  );
}

function Statements({ months }: { months: readonly string[] }) {
  const [month, setMonth] = useState(months[0] ?? '');
  const statement = useApi<Statement>(`billing/statements/${month}`);
  return (
    <Section
      title="Statement"
      isFlush
      actions={
        <Group gap="sm">
          <Select
            aria-label="Month of the statement"
            w={130}
            data={[...months]}
            value={month}
            onChange={(value) => setMonth(value ?? month)}
            allowDeselect={false}
          />
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} />}
            href={`/api/billing/statements/${month}?format=csv`}
          >
            CSV
          </Button>
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} />}
            href={`/api/billing/statements/${month}`}
            download={`cairn-${month}.json`}
          >
            JSON
          </Button>
        </Group>
      }
    >
      <Answer query={statement}>
        {({ lines, total, storedBytes, charges }) =>
          lines.length === 0 && charges.length === 0 ? (
            <Empty title="No usage in this month" />
          ) : (
            <>
              <Charges list={charges} />
              <DataTable
                label="Usage of the month"
                rows={lines}
                columns={columns}
                keyOf={({ service, operation, network, key }) => [service, operation, network, key].join()}
              />
              <Group justify="space-between" px="md" py="sm" className="table-foot">
                <Text size="sm" c="dimmed">
                  Stored: {bytes(storedBytes.mean)} in the mean, {bytes(storedBytes.most)} at most. Received{' '}
                  {bytes(total.bytesIn)}, sent {bytes(total.bytesOut)}.
                </Text>
                <Text size="sm" fw={600} className="number">
                  Total: {count(total.requests)} requests, {count(total.credits)} credits
                </Text>
              </Group>
            </>
          )
        }
      </Answer>
    </Section>
  );
}

const columns: readonly Column<Line>[] = [
  { title: 'Operation', show: ({ operation }) => operation },
  { title: 'Service', show: ({ service }) => service },
  { title: 'Network', show: ({ network }) => network || '–' },
  { title: 'Key', show: ({ key }) => key || '–' },
  { title: 'Requests', isNumber: true, show: ({ requests }) => count(requests) },
  { title: 'Credits', isNumber: true, show: ({ credits }) => count(credits) },
];

/** Amounts for the plans of a month. */
function Charges({ list }: { list: readonly Charge[] }) {
  if (list.length === 0) return null;
  const day = (text: string) => new Date(text).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <Table verticalSpacing="xs" horizontalSpacing="md" aria-label="Charges">
      <Table.Tbody>
        {list.map(({ plan, title, from, to, amount, currency }) => (
          <Table.Tr key={`${plan} ${from}`}>
            <Table.Td>
              {title}, {day(from)} to {day(to)}
            </Table.Td>
            <Table.Td ta="right">{money(amount, currency)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
