import {
  Badge,
  Button,
  Card,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api, type Card as BillingCard, type Me, type Plan } from '../api.ts';
import { ago, bytes, count, time } from '../format.ts';
import { Answer, Empty, PageHead } from '../parts.tsx';
import { useApi, useChange } from '../use-api.ts';

interface Account {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly plan: string;
  readonly status: 'active' | 'suspended';
  readonly card?: BillingCard;
  readonly quotaBytes?: number;
  readonly keys: number;
  readonly held: { readonly pins: number; readonly bytes: number };
  readonly lastUsedAt?: number;
}

/** All accounts, plans, the state of the services, and who changed what. */
export function OperatorPage(_: { me: Me }) {
  return (
    <>
      <PageHead title="Operator" text="What counts for all accounts." />
      <Tabs defaultValue="accounts" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="accounts">Accounts</Tabs.Tab>
          <Tabs.Tab value="plans">Plans</Tabs.Tab>
          <Tabs.Tab value="health">Health</Tabs.Tab>
          <Tabs.Tab value="audit">Audit log</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="accounts" pt="md">
          <Accounts />
        </Tabs.Panel>
        <Tabs.Panel value="plans" pt="md">
          <Plans />
        </Tabs.Panel>
        <Tabs.Panel value="health" pt="md">
          <Health />
        </Tabs.Panel>
        <Tabs.Panel value="audit" pt="md">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Accounts() {
  const accounts = useApi<Account[]>('operator/accounts');
  const [search, setSearch] = useState('');
  const [edited, setEdited] = useState<Account>();
  return (
    <Stack>
      <TextInput
        placeholder="Name, e-mail or id"
        aria-label="Search accounts"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Answer query={accounts}>
        {(list) => {
          const shown = list.filter(({ name, email, id }) =>
            `${name} ${email} ${id}`.toLowerCase().includes(search.toLowerCase()),
          );
          if (shown.length === 0) return <Empty title="No such account" />;
          return (
            <Card withBorder padding={0}>
              <Table.ScrollContainer minWidth={760}>
                <Table verticalSpacing="xs" horizontalSpacing="md">
                  <Table.Thead>
                    <Table.Tr>
                      {['Account', 'Plan', 'Status', 'Card', 'Keys', 'Stored', 'Last used', 'Actions'].map((title) => (
                        <Table.Th key={title}>{title}</Table.Th>
                      ))}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {shown.slice(0, 500).map((account) => (
                      <Table.Tr key={account.id}>
                        <Table.Td>
                          <Text fw={600}>{account.name}</Text>
                          <Text size="xs" c="dimmed">
                            {account.email ?? account.id}
                          </Text>
                        </Table.Td>
                        <Table.Td>{account.plan}</Table.Td>
                        <Table.Td>
                          <Badge color={account.status === 'active' ? 'teal' : 'red'}>{account.status}</Badge>
                        </Table.Td>
                        <Table.Td>{account.card ? `${account.card.brand} …${account.card.last4}` : 'none'}</Table.Td>
                        <Table.Td>{count(account.keys)}</Table.Td>
                        <Table.Td>
                          {bytes(account.held.bytes)}
                          {account.quotaBytes !== undefined && ` of ${bytes(account.quotaBytes)}`}
                        </Table.Td>
                        <Table.Td>{account.lastUsedAt === undefined ? 'never' : ago(account.lastUsedAt)}</Table.Td>
                        <Table.Td>
                          <Button
                            size="xs"
                            variant="default"
                            onClick={() => setEdited(account)}
                            aria-label={`Change ${account.name}`}
                          >
                            Change
                          </Button>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Card>
          );
        }}
      </Answer>
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited?.name}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {edited && <AccountForm account={edited} onDone={() => setEdited(undefined)} />}
      </Modal>
    </Stack>
  );
}

const MiB = 1024 * 1024;

function AccountForm({ account, onDone }: { account: Account; onDone: () => void }) {
  const plans = useApi<Plan[]>('operator/plans');
  const form = useForm({
    initialValues: {
      plan: account.plan,
      status: account.status as string,
      quotaMib: (account.quotaBytes === undefined ? '' : Math.round(account.quotaBytes / MiB)) as number | '',
      brand: account.card?.brand ?? '',
      last4: account.card?.last4 ?? '',
    },
  });
  const change = useChange((body: object) => api(`operator/accounts/${account.id}`, { method: 'POST', body }), {
    done: 'Changed, everywhere at once.',
  });
  const save = form.onSubmit(({ plan, status, quotaMib, brand, last4 }) => {
    const card = brand === '' ? null : { brand, last4 };
    const isSameCard = brand === (account.card?.brand ?? '') && last4 === (account.card?.last4 ?? '');
    const body = { plan, status, quotaBytes: quotaMib === '' ? null : quotaMib * MiB, ...(!isSameCard && { card }) };
    change.mutate(body, { onSuccess: onDone });
  });
  return (
    <form onSubmit={save}>
      <Stack>
        <Select
          label="Plan"
          data={plans.data?.map(({ name, title }) => ({ value: name, label: title })) ?? []}
          allowDeselect={false}
          {...form.getInputProps('plan')}
        />
        <Select label="Status" data={['active', 'suspended']} allowDeselect={false} {...form.getInputProps('status')} />
        <NumberInput
          label="Quota in MiB"
          description="Empty: that of the plan"
          min={0}
          allowDecimal={false}
          {...form.getInputProps('quotaMib')}
        />
        <Group grow>
          <TextInput label="Card brand" placeholder="visa; empty for none" {...form.getInputProps('brand')} />
          <TextInput label="Last four digits" maxLength={4} {...form.getInputProps('last4')} />
        </Group>
        <Button type="submit" loading={change.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}

const limits = [
  'requestsPerSecond',
  'burst',
  'creditsPerDay',
  'storedBytes',
  'bytesInPerDay',
  'bytesOutPerDay',
  'concurrentRequests',
  'webSockets',
] as const;
const limitTitles: Readonly<Record<(typeof limits)[number], string>> = {
  requestsPerSecond: 'Requests a second',
  burst: 'Burst',
  creditsPerDay: 'Credits a day',
  storedBytes: 'Stored bytes',
  bytesInPerDay: 'Bytes in a day',
  bytesOutPerDay: 'Bytes out a day',
  concurrentRequests: 'Requests at once',
  webSockets: 'WebSockets',
};

function Plans() {
  const plans = useApi<Plan[]>('operator/plans');
  const [edited, setEdited] = useState<Plan>();
  return (
    <Answer query={plans}>
      {(list) => (
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {list.map((plan) => (
              <Card key={plan.name} withBorder padding="md">
                <Group justify="space-between">
                  <Text fw={600}>
                    {plan.title} ({plan.name})
                  </Text>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setEdited(plan)}
                    aria-label={`Change the plan ${plan.name}`}
                  >
                    Change
                  </Button>
                </Group>
                {limits.map((limit) => (
                  <Group key={limit} justify="space-between">
                    <Text size="sm">{limitTitles[limit]}</Text>
                    <Text size="sm">{plan[limit] === undefined ? 'no limit' : count(plan[limit])}</Text>
                  </Group>
                ))}
              </Card>
            ))}
          </SimpleGrid>
          <Group>
            <Button variant="default" onClick={() => setEdited({ name: '', title: '' })}>
              New plan
            </Button>
          </Group>
          <Modal
            opened={edited !== undefined}
            onClose={() => setEdited(undefined)}
            title={edited?.title || 'New plan'}
            closeButtonProps={{ 'aria-label': 'Close' }}
          >
            {edited && <PlanForm plan={edited} onDone={() => setEdited(undefined)} />}
          </Modal>
        </Stack>
      )}
    </Answer>
  );
}

function PlanForm({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const initialValues: Record<string, string | number> = { name: plan.name, title: plan.title };
  for (const limit of limits) initialValues[limit] = plan[limit] ?? '';
  const form = useForm({ initialValues });
  const put = useChange(
    ({ name, ...values }: typeof form.values) =>
      api(`operator/plans/${encodeURIComponent(String(name))}`, {
        method: 'PUT',
        body: {
          ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
          ...(plan.methods && { methods: plan.methods }),
        },
      }),
    { done: 'The plan counts within a second.' },
  );
  return (
    <form onSubmit={form.onSubmit((values) => put.mutate(values, { onSuccess: onDone }))}>
      <Stack gap="sm">
        <TextInput label="Name" required readOnly={plan.name !== ''} {...form.getInputProps('name')} />
        <TextInput label="Title" required {...form.getInputProps('title')} />
        {limits.map((limit) => (
          <NumberInput
            key={limit}
            label={limitTitles[limit]}
            placeholder="no limit"
            min={0}
            allowDecimal={false}
            {...form.getInputProps(limit)}
          />
        ))}
        <Button type="submit" loading={put.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}

interface HealthState {
  readonly storage: { readonly isReady: boolean; readonly text: string };
  readonly gateway: { readonly isReady: boolean; readonly text: string };
  readonly held: { readonly accounts: number; readonly pins: number; readonly blocks: number; readonly bytes: number };
  readonly isCollecting: boolean;
}

function Health() {
  const health = useApi<HealthState>('operator/health', { refreshMs: 5000 });
  return (
    <Answer query={health}>
      {({ storage, gateway, held, isCollecting }) => (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {Object.entries({ 'Storage API': storage, 'JSON-RPC gateway': gateway }).map(([name, { isReady, text }]) => (
            <Card key={name} withBorder padding="md">
              <Group justify="space-between">
                <Text fw={600}>{name}</Text>
                <Badge color={isReady ? 'teal' : 'red'}>{isReady ? 'ready' : 'not ready'}</Badge>
              </Group>
              {!isReady && <Text size="sm">{text}</Text>}
            </Card>
          ))}
          <Card withBorder padding="md">
            <Text fw={600}>Held</Text>
            <Text size="sm">
              {count(held.accounts)} accounts, {count(held.pins)} pins, {count(held.blocks)} blocks, {bytes(held.bytes)}
            </Text>
            {isCollecting && <Text size="sm">Garbage is being collected.</Text>}
          </Card>
        </SimpleGrid>
      )}
    </Answer>
  );
}

interface AuditEntry {
  readonly at: number;
  readonly actor: { readonly who: string; readonly from: string };
  readonly action: string;
  readonly accountId: string;
  readonly key?: string;
  readonly change?: object;
}

function Audit() {
  const entries = useApi<AuditEntry[]>('operator/audit');
  return (
    <Answer query={entries}>
      {(list) => (
        <Card withBorder padding={0}>
          <Table.ScrollContainer minWidth={720}>
            <Table verticalSpacing="xs" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  {['When', 'Who', 'What', 'Account', 'Change'].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.map(({ at, actor, action, accountId, key, change }, index) => (
                  <Table.Tr key={`${at} ${String(index)}`}>
                    <Table.Td>{time(at)}</Table.Td>
                    <Table.Td>
                      {actor.who}{' '}
                      <Text span size="xs" c="dimmed">
                        ({actor.from})
                      </Text>
                    </Table.Td>
                    <Table.Td>{action}</Table.Td>
                    <Table.Td>
                      <Text size="xs" ff="monospace">
                        {accountId}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <Text size="xs" ff="monospace">
                        {[key, change && JSON.stringify(change)].filter(Boolean).join(' ')}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Card>
      )}
    </Answer>
  );
}
