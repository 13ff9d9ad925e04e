import { Button, Checkbox, Group, MultiSelect, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ApiKey, api, type IssuedKey, type KeyPolicy, type Me } from '../../api.ts';
import { Failure } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';

/** Limits of a key, as form values. */
interface Limits {
  readonly storage: string[];
  readonly networks: string[];
  readonly methods: string[];
  readonly contracts: string[];
  readonly origins: string[];
  readonly addresses: string[];
  readonly grants: string[];
}

const scopes = ['read', 'add', 'pin'];

/** Empty lists mean no limit, except for the scopes: no access to storage, no transactions. */
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
    grants: list('grants'),
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
      <Checkbox.Group
        label="Further permissions"
        description="No key has these by default."
        {...form.getInputProps('grants')}
      >
        <Checkbox mt={4} value="send" label="Send transactions" />
        <Checkbox
          mt={4}
          value="call-without-from"
          label="Calls without from"
          description="viem, ethers and web3.js omit it in reads. Most networks require it."
        />
        {me.member.role === 'operator' && <Checkbox mt={4} value="node" label="Commands about the IPFS peer" />}
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

/** Form for a new key. */
export function KeyForm({ me, onIssued }: { me: Me; onIssued: (issued: IssuedKey) => void }) {
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
          placeholder="Never"
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

/** Form for the limits of a key. */
export function LimitForm({ me, edited, onDone }: { me: Me; edited: ApiKey; onDone: () => void }) {
  const form = useForm({ initialValues: { name: '', days: null as string | null, ...limitsFrom(edited.policy) } });
  const limit = useChange(
    ({ name: _, days: __, ...limits }: typeof form.values) =>
      api(`keys/${encodeURIComponent(edited.id)}`, { method: 'PATCH', body: { policy: policyOf(limits) } }),
    { done: 'Saved. The limits apply now.', isQuiet: true },
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
