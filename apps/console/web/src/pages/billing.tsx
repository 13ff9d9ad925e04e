import { Anchor, Badge, Button, Card, Group, Select, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Card as BillingCard, type Me, type Plan } from '../api.ts';
import { bytes, count, money, time } from '../format.ts';
import { Answer, Empty, PageHead } from '../parts.tsx';
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
      <PageHead title="Billing" />
      <Answer query={billing}>
        {(data) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
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
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Billing card
        </Title>
        <Badge color={card ? 'teal' : 'orange'}>{card ? 'attached' : 'none'}</Badge>
      </Group>
      <Text>
        {card
          ? `${card.brand} ending in ${card.last4}, since ${time(card.attachedAt)}`
          : 'Storage requires a card, also on the free plan.'}
      </Text>
      {!mayPay ? null : attach.data?.kind === 'ask' ? (
        <Text mt="sm" size="sm" c="dimmed" role="status">
          {attach.data.text}
        </Text>
      ) : (
        <Button
          mt="sm"
          variant={card ? 'default' : 'filled'}
          loading={attach.isPending}
          onClick={() => attach.mutate(undefined)}
        >
          {card ? 'Replace the card' : provider === 'stripe' ? 'Attach a card' : 'How to attach a card'}
        </Button>
      )}
    </Card>
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
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Plan: {plan?.title ?? 'none'}
        </Title>
        <Text>{plan && priceOf(plan)}</Text>
      </Group>
      <Table verticalSpacing={2}>
        <Table.Tbody>
          {limits.map(([name, limit, show]) => (
            <Table.Tr key={name}>
              <Table.Th fw={400}>{name}</Table.Th>
              <Table.Td ta="right">{limit === undefined ? 'no limit' : show(limit)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {mayPay && (
        <Button mt="sm" variant="default" onClick={() => setIsChanging(true)}>
          Change the plan
        </Button>
      )}
      {isChanging && <ChangePlan current={current} onClose={() => setIsChanging(false)} />}
    </Card>
  );
}

function Statements({ months }: { months: readonly string[] }) {
  const [month, setMonth] = useState(months[0] ?? '');
  const statement = useApi<Statement>(`billing/statements/${month}`);
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" align="flex-end" mb="sm">
        <Select
          label="Statement"
          data={[...months]}
          value={month}
          onChange={(value) => setMonth(value ?? month)}
          allowDeselect={false}
        />
        <Group>
          <Anchor href={`/api/billing/statements/${month}?format=csv`}>CSV</Anchor>
          <Anchor href={`/api/billing/statements/${month}`} download={`cairn-${month}.json`}>
            JSON
          </Anchor>
        </Group>
      </Group>
      <Answer query={statement}>
        {({ lines, total, storedBytes, charges }) =>
          lines.length === 0 && charges.length === 0 ? (
            <Empty title="No usage in this month" />
          ) : (
            <>
              <Table.ScrollContainer minWidth={560}>
                <Table verticalSpacing={4}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Service</Table.Th>
                      <Table.Th>Operation</Table.Th>
                      <Table.Th>Network</Table.Th>
                      <Table.Th ta="right">Requests</Table.Th>
                      <Table.Th ta="right">Credits</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {lines.map(({ service, operation, network, key, requests, credits }) => (
                      <Table.Tr key={[service, operation, network, key].join()}>
                        <Table.Td>{service}</Table.Td>
                        <Table.Td>{operation}</Table.Td>
                        <Table.Td>{network}</Table.Td>
                        <Table.Td ta="right">{count(requests)}</Table.Td>
                        <Table.Td ta="right">{count(credits)}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                  <Table.Tfoot>
                    <Table.Tr>
                      <Table.Th colSpan={3}>Total</Table.Th>
                      <Table.Th ta="right">{count(total.requests)}</Table.Th>
                      <Table.Th ta="right">{count(total.credits)}</Table.Th>
                    </Table.Tr>
                  </Table.Tfoot>
                </Table>
              </Table.ScrollContainer>
              <Charges list={charges} />
              <Text size="sm" c="dimmed">
                Stored: {bytes(storedBytes.mean)} in the mean, {bytes(storedBytes.most)} at most. Received{' '}
                {bytes(total.bytesIn)}, sent {bytes(total.bytesOut)}.
              </Text>
            </>
          )
        }
      </Answer>
    </Card>
  );
}

/** Amounts for the plans of a month. */
function Charges({ list }: { list: readonly Charge[] }) {
  if (list.length === 0) return null;
  const day = (text: string) => new Date(text).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <Table verticalSpacing={4} mb="sm" aria-label="Charges">
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
