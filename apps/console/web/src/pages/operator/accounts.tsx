import { Button, Card, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { api, type Card as BillingCard, type Plan } from '../../api.ts';
import { BytesInput } from '../../bytes-input.tsx';
import { type Column, DataTable } from '../../data-table.tsx';
import { ago, bytes, count } from '../../format.ts';
import { Answer, Empty, StateDot } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';
import { ViewDialog } from './view-dialog.tsx';

interface Account {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly plan: string;
  readonly status: 'active' | 'suspended';
  readonly card?: BillingCard;
  readonly quotaBytes?: number;
  readonly servesPeers?: boolean;
  readonly keys: number;
  readonly held: { readonly pins: number; readonly bytes: number };
  readonly lastUsedAt?: number;
}

/** Most accounts on the page. The search finds the others. */
const shownMax = 500;

/** Table of accounts, with a form to change one. */
export function Accounts() {
  const accounts = useApi<Account[]>('operator/accounts');
  const [search, setSearch] = useState('');
  const [edited, setEdited] = useState<Account>();
  const [viewed, setViewed] = useState<Account>();
  return (
    <Stack>
      <TextInput
        placeholder="Name, e-mail or id"
        aria-label="Search accounts"
        leftSection={<IconSearch size={16} />}
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
              <DataTable
                label="Accounts"
                minWidth={900}
                rows={shown.slice(0, shownMax)}
                columns={columnsOf({ onEdit: setEdited, onView: setViewed })}
                keyOf={({ id }) => id}
              />
            </Card>
          );
        }}
      </Answer>
      {viewed && <ViewDialog id={viewed.id} name={viewed.name} onClose={() => setViewed(undefined)} />}
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

function columnsOf({
  onEdit,
  onView,
}: {
  onEdit: (account: Account) => void;
  onView: (account: Account) => void;
}): readonly Column<Account>[] {
  return [
    {
      title: 'Account',
      show: ({ name, email, id }) => (
        <div>
          <Text fw={600} size="sm">
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {email ?? id}
          </Text>
        </div>
      ),
    },
    { title: 'Plan', show: ({ plan }) => plan },
    {
      title: 'Status',
      show: ({ status }) => (
        <Group gap={8} wrap="nowrap" display="inline-flex">
          <StateDot color={status === 'active' ? 'teal' : 'red'} />
          {status}
        </Group>
      ),
    },
    { title: 'Card', show: ({ card }) => (card ? `${card.brand} …${card.last4}` : 'none') },
    { title: 'Keys', isNumber: true, show: ({ keys }) => count(keys) },
    {
      title: 'Stored',
      isNumber: true,
      show: ({ held, quotaBytes }) =>
        quotaBytes === undefined ? bytes(held.bytes) : `${bytes(held.bytes)} of ${bytes(quotaBytes)}`,
    },
    { title: 'Last used', show: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : ago(lastUsedAt)) },
    {
      title: 'Actions',
      show: (account) => (
        <Group gap="xs" wrap="nowrap" display="inline-flex">
          <Button size="xs" variant="default" onClick={() => onEdit(account)} aria-label={`Change ${account.name}`}>
            Change
          </Button>
          <Button size="xs" variant="default" onClick={() => onView(account)} aria-label={`View ${account.name}`}>
            View
          </Button>
        </Group>
      ),
    },
  ];
}

function AccountForm({ account, onDone }: { account: Account; onDone: () => void }) {
  const plans = useApi<Plan[]>('operator/plans');
  const form = useForm({
    initialValues: {
      plan: account.plan,
      status: account.status as string,
      quotaBytes: (account.quotaBytes ?? '') as number | '',
      brand: account.card?.brand ?? '',
      last4: account.card?.last4 ?? '',
      servesPeers: account.servesPeers ?? false,
    },
  });
  const change = useChange((body: object) => api(`operator/accounts/${account.id}`, { method: 'POST', body }), {
    done: 'Saved. All services use the new values.',
  });
  const save = form.onSubmit(({ plan, status, quotaBytes, brand, last4, servesPeers }) => {
    const before = form.getInitialValues();
    const isSameCard = brand === before.brand && last4 === before.last4;
    const body = {
      ...(plan !== before.plan && { plan }),
      ...(status !== before.status && { status }),
      ...(quotaBytes !== before.quotaBytes && { quotaBytes: quotaBytes === '' ? null : quotaBytes }),
      ...(servesPeers !== before.servesPeers && { servesPeers }),
      ...(!isSameCard && { card: brand === '' ? null : { brand, last4 } }),
    };
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
        <BytesInput label="Quota" description="Empty: quota of the plan" {...form.getInputProps('quotaBytes')} />
        <Group grow>
          <TextInput label="Card brand" placeholder="visa; empty for none" {...form.getInputProps('brand')} />
          <TextInput label="Last four digits" maxLength={4} {...form.getInputProps('last4')} />
        </Group>
        <Switch
          label="Let IPFS peers fetch its files"
          description="Applies with IPFS_PEER_SERVE=accounts."
          {...form.getInputProps('servesPeers', { type: 'checkbox' })}
        />
        <Button type="submit" loading={change.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
