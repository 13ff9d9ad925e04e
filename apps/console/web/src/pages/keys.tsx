import {
  Alert,
  Badge,
  Button,
  Card,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Table,
  Tabs,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKey, api, type IssuedKey, type KeyPolicy, type Me } from '../api.ts';
import { ago, time } from '../format.ts';
import { Answer, Copy, Empty, Failure, PageHead, Snippet } from '../parts.tsx';
import { snippetsOf } from '../snippets.ts';
import { useApi, useChange } from '../use-api.ts';

/** Keys of the account: made, limited, rotated, revoked. */
export function KeysPage({ me }: { me: Me }) {
  const keys = useApi<ApiKey[]>('keys', { refreshMs: 10_000 });
  const [isOpen, { open, close }] = useDisclosure(false);
  const [issued, setIssued] = useState<IssuedKey>();
  const [edited, setEdited] = useState<ApiKey>();
  return (
    <>
      <PageHead
        title="API keys"
        text="A key is the user name for storage, with its secret as password, and stands in the path of JSON-RPC."
      >
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          Create a key
        </Button>
      </PageHead>
      <Answer query={keys}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No keys yet">Make one; its secret is shown once, with code to paste.</Empty>
          ) : (
            <KeyTable keys={list} onIssued={setIssued} onEdit={setEdited} />
          )
        }
      </Answer>
      <Modal opened={isOpen} onClose={close} title="Create a key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <KeyForm
          me={me}
          onIssued={(made) => {
            close();
            setIssued(made);
          }}
        />
      </Modal>
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={`Limits of ${edited?.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {edited && <LimitForm me={me} edited={edited} onDone={() => setEdited(undefined)} />}
      </Modal>
      <Modal
        opened={issued !== undefined}
        onClose={() => setIssued(undefined)}
        title="Your key"
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {issued && <Issued me={me} issued={issued} />}
      </Modal>
    </>
  );
}

function KeyTable({
  keys,
  onIssued,
  onEdit,
}: {
  keys: ApiKey[];
  onIssued: (issued: IssuedKey) => void;
  onEdit: (key: ApiKey) => void;
}) {
  const revoke = useChange((id: string) => api(`keys/${encodeURIComponent(id)}/revoke`, { method: 'POST' }), {
    done: 'Revoked. Requests with it are refused from now on.',
  });
  const rotate = useChange((id: string) =>
    api<IssuedKey>(`keys/${encodeURIComponent(id)}/rotate`, { method: 'POST', body: {} }),
  );
  const [doomed, setDoomed] = useState<ApiKey>();
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={720}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Key</Table.Th>
              <Table.Th>Limits</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td>
                  <Text fw={600}>{key.name}</Text>
                  <State of={key} />
                </Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Text size="sm" ff="monospace">
                      {key.id}
                    </Text>
                    <Copy value={key.id} label={`Copy the key ${key.name}`} />
                  </Group>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{limitsOf(key)}</Text>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{key.lastUsedAt === undefined ? 'never' : ago(key.lastUsedAt)}</Text>
                </Table.Td>
                <Table.Td>
                  {key.revokedAt === undefined && (
                    <Group gap="xs" wrap="nowrap">
                      <Button size="xs" variant="default" onClick={() => onEdit(key)}>
                        Limits
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        onClick={() => rotate.mutate(key.id, { onSuccess: onIssued })}
                      >
                        New secret
                      </Button>
                      <Button size="xs" variant="light" color="red" onClick={() => setDoomed(key)}>
                        Revoke
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal
        opened={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title={`Revoke ${doomed?.name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>Every request with this key is refused from now on, everywhere. This cannot be undone.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setDoomed(undefined)}>
              Keep it
            </Button>
            <Button
              color="red"
              onClick={() => {
                if (doomed) revoke.mutate(doomed.id);
                setDoomed(undefined);
              }}
            >
              Revoke the key
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Card>
  );
}

function State({ of: { revokedAt, expiresAt, oldSecretEndsAt } }: { of: ApiKey }) {
  if (revokedAt !== undefined) return <Badge color="red">revoked</Badge>;
  if (expiresAt !== undefined && expiresAt <= Date.now()) return <Badge color="gray">expired</Badge>;
  return (
    <Text size="xs" c="dimmed">
      {expiresAt !== undefined && `until ${time(expiresAt)} `}
      {oldSecretEndsAt !== undefined && `old secret until ${time(oldSecretEndsAt)}`}
    </Text>
  );
}

function limitsOf({ policy = {} }: ApiKey): string {
  const told = Object.entries(policy).map(([name, list]) => `${name}: ${(list as string[]).join(', ') || 'none'}`);
  return told.join('; ') || 'none';
}

/** What a key may be limited to, as the form holds it. */
interface Limits {
  readonly storage: string[];
  readonly networks: string[];
  readonly methods: string[];
  readonly contracts: string[];
  readonly origins: string[];
  readonly addresses: string[];
}

const scopes = ['read', 'add', 'pin'];

/** Empty lists are no limit, but for storage, where all three are none. */
function policyOf({ storage, ...lists }: Limits): KeyPolicy {
  return {
    ...(storage.length < scopes.length && { storage }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

function limitsFrom(policy: KeyPolicy = {}): Limits {
  const list = (name: keyof KeyPolicy) => [...(policy[name] ?? [])];
  return {
    storage: policy.storage ? [...policy.storage] : scopes,
    networks: list('networks'),
    methods: list('methods'),
    contracts: list('contracts'),
    origins: list('origins'),
    addresses: list('addresses'),
  };
}

function LimitFields({
  me,
  form,
}: {
  me: Me;
  form: ReturnType<typeof useForm<Limits & { name: string; days: string | null }>>;
}) {
  return (
    <>
      <Checkbox.Group label="Storage" {...form.getInputProps('storage')}>
        <Group mt={4}>
          <Checkbox value="read" label="Read" />
          <Checkbox value="add" label="Add" />
          <Checkbox value="pin" label="Pin" />
        </Group>
      </Checkbox.Group>
      <MultiSelect
        label="Networks"
        placeholder="All"
        data={me.networks.map(({ name }) => name)}
        clearable
        {...form.getInputProps('networks')}
      />
      <TagsInput label="JSON-RPC methods" placeholder="All; eth_call, eth_get*" {...form.getInputProps('methods')} />
      <TagsInput label="Contracts" placeholder="All; 0x…" {...form.getInputProps('contracts')} />
      <TagsInput label="Web origins" placeholder="All; https://app.example" {...form.getInputProps('origins')} />
      <TagsInput label="IP addresses" placeholder="All; 10.0.0.0/8" {...form.getInputProps('addresses')} />
    </>
  );
}

function KeyForm({ me, onIssued }: { me: Me; onIssued: (issued: IssuedKey) => void }) {
  const form = useForm({ initialValues: { name: '', days: null as string | null, ...limitsFrom() } });
  const create = useChange(
    ({ name, days, ...limits }: typeof form.values) =>
      api<IssuedKey>('keys', {
        method: 'POST',
        body: { name, policy: policyOf(limits), ...(days && { expiresAt: Date.now() + Number(days) * 86_400_000 }) },
      }),
    { isQuiet: true },
  );
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values, { onSuccess: onIssued }))}>
      <Stack>
        <TextInput label="Name" placeholder="website" required data-autofocus {...form.getInputProps('name')} />
        <Select
          label="Ends"
          placeholder="When it is revoked"
          clearable
          data={[
            { value: '1', label: 'in a day' },
            { value: '30', label: 'in 30 days' },
            { value: '365', label: 'in a year' },
          ]}
          {...form.getInputProps('days')}
        />
        <LimitFields me={me} form={form} />
        {create.error && <Failure error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  );
}

function LimitForm({ me, edited, onDone }: { me: Me; edited: ApiKey; onDone: () => void }) {
  const form = useForm({ initialValues: { name: '', days: null as string | null, ...limitsFrom(edited.policy) } });
  const limit = useChange(
    ({ name: _, days: __, ...limits }: typeof form.values) =>
      api(`keys/${encodeURIComponent(edited.id)}`, { method: 'PATCH', body: { policy: policyOf(limits) } }),
    { done: 'The limits count from now on.', isQuiet: true },
  );
  return (
    <form onSubmit={form.onSubmit((values) => limit.mutate(values, { onSuccess: onDone }))}>
      <Stack>
        <LimitFields me={me} form={form} />
        {limit.error && <Failure error={limit.error} />}
        <Button type="submit" loading={limit.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}

/** The secret, once, and what to do with it. */
function Issued({ me, issued: { key, secret } }: { me: Me; issued: IssuedKey }) {
  const snippets = snippetsOf(me, key.id, secret);
  return (
    <Stack>
      <Alert color="yellow" title="The secret is shown this once">
        Keep it now; nobody can tell it later, only make a new one.
      </Alert>
      <TextInput label="Key" value={key.id} readOnly rightSection={<Copy value={key.id} label="Copy the key" />} />
      <TextInput
        label="Secret"
        value={secret}
        readOnly
        rightSection={<Copy value={secret} label="Copy the secret" />}
      />
      {me.account.card === undefined && (
        <Alert color="orange" title="Storage needs a billing card">
          JSON-RPC works with this key at once; storage, when a card is attached under Billing.
        </Alert>
      )}
      <Tabs defaultValue="curl">
        <Tabs.List>
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Snippet code={code} label={`Copy for ${name}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
