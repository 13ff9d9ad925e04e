import {
  Alert,
  Anchor,
  Button,
  Card,
  Code,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type ApiError, type Me, type RpcAnswer, rpc } from '../api.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { age, count, short, time } from '../format.ts';
import { Answer, Copy, Empty, Failure, PageHead, Section, StateDot } from '../parts.tsx';
import { useApi } from '../use-api.ts';

interface Network {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly source: 'files' | 'node' | 'upstreams';
  readonly chainId?: number;
  readonly head?: { readonly number: number; readonly hash: string; readonly timestamp: number };
  readonly lagSeconds?: number;
  readonly error?: string;
}

const sources = { files: 'imported from files', node: 'follows a node', upstreams: 'verified upstreams' } as const;

type Block = Readonly<Record<string, unknown>> & { readonly transactions?: readonly unknown[] };

/** Networks, lookup of a block by hash, and eth_call. */
export function NetworksPage(_: { me: Me }) {
  const networks = useApi<Network[]>('networks', { refreshMs: 15_000 });
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <PageHead
        title="Networks"
        text="Chains that this service serves. The host name of a request chooses the network."
      />
      <Answer query={networks}>
        {(list) => {
          const name = chosen ?? list[0]?.name;
          if (name === undefined)
            return <Empty title="No networks">The operator adds networks in the networks file.</Empty>;
          const head = list.find((network) => network.name === name)?.head;
          return (
            <Stack>
              <Card withBorder padding={0}>
                <DataTable label="Networks" rows={list} columns={columns} keyOf={(network) => network.name} />
              </Card>
              <Group justify="space-between" align="flex-end" mt="sm">
                <div>
                  <Title order={2} size="h4">
                    Try a network
                  </Title>
                  <Text size="sm" c="dimmed">
                    Lookups and calls use credits of this account.
                  </Text>
                </div>
                {list.length > 1 && (
                  <NativeSelect
                    label="Network"
                    data={list.map((network) => network.name)}
                    value={name}
                    onChange={(event) => setChosen(event.currentTarget.value)}
                  />
                )}
              </Group>
              <SimpleGrid cols={{ base: 1, lg: 2 }} className="align-start shrinking">
                <Explorer key={`block ${name}`} network={name} headHash={head?.hash} />
                <CallForm key={`call ${name}`} network={name} />
              </SimpleGrid>
            </Stack>
          );
        }}
      </Answer>
    </>
  );
}

const columns: readonly Column<Network>[] = [
  {
    title: 'Network',
    show: ({ name, error }) => (
      <Group gap={8} wrap="nowrap" display="inline-flex">
        <StateDot color={error === undefined ? 'teal' : 'red'} />
        <Text fw={600} size="sm" span>
          {name}
        </Text>
      </Group>
    ),
  },
  {
    title: 'Head',
    show: ({ head, error }) => (head === undefined ? (error ?? 'not served') : `Block ${count(head.number)}`),
  },
  { title: 'Age', show: ({ lagSeconds }) => (lagSeconds === undefined ? '–' : age(lagSeconds)) },
  { title: 'Chain ID', show: ({ chainId }) => chainId ?? '–' },
  { title: 'Origin of blocks', show: ({ source }) => sources[source] },
  { title: 'Hosts', show: ({ hosts }) => hosts.map((host) => (host === '*' ? 'all other hosts' : host)).join(', ') },
  {
    title: 'Open',
    show: ({ name }) => (
      <Anchor
        component={Link}
        href={`/explorer/latest?network=${encodeURIComponent(name)}`}
        size="sm"
        underline="always"
      >
        Explorer
      </Anchor>
    ),
  },
];

/** Form that looks up a block by its hash. */
function Explorer({ network, headHash }: { network: string; headHash: string | undefined }) {
  const form = useForm({ initialValues: { hash: '' } });
  const find = useMutation<RpcAnswer<Block | null>, ApiError, string>({
    mutationFn: (hash) => rpc(network, 'eth_getBlockByHash', [hash, false]),
  });
  return (
    <Section title="Block by hash">
      <form onSubmit={form.onSubmit(({ hash }) => find.mutate(hash.trim()))}>
        <Group align="flex-end" wrap="nowrap">
          <TextInput label="Hash" placeholder="0x…" required flex={1} {...form.getInputProps('hash')} />
          <Button type="submit" loading={find.isPending}>
            Find
          </Button>
        </Group>
      </form>
      {headHash !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            form.setFieldValue('hash', headHash);
            find.mutate(headHash);
          }}
        >
          The newest one
        </Button>
      )}
      {find.error && <Failure error={find.error} />}
      {find.data?.error && <Failure error={find.data.error} />}
      {find.data?.result === null && (
        <Empty title="No such block">The block is not part of this network, or not imported yet.</Empty>
      )}
      {find.data?.result && <BlockTable block={find.data.result} />}
    </Section>
  );
}

function BlockTable({ block }: { block: Block }) {
  const rows: [string, string][] = [
    ['Number', count(Number(block.number))],
    ['Hash', String(block.hash)],
    ['Parent', String(block.parentHash)],
    ['Made', time(Number(block.timestamp) * 1000)],
    ['State root', String(block.stateRoot)],
    ['Gas used', `${count(Number(block.gasUsed))} of ${count(Number(block.gasLimit))}`],
    ['Base fee', block.baseFeePerGas === undefined ? 'none' : `${count(Number(block.baseFeePerGas))} wei`],
    ['Transactions', count(block.transactions?.length ?? 0)],
  ];
  return (
    <Table mt="sm" verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={120}>{name}</Table.Th>
            <Table.Td>
              {value.length > 40 ? (
                <Group gap={4} wrap="nowrap">
                  <Text size="sm" ff="monospace" title={value}>
                    {short(value, 20)}
                  </Text>
                  <Copy value={value} label={`Copy: ${name}`} />
                </Group>
              ) : (
                value
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CallForm({ network }: { network: string }) {
  const form = useForm({ initialValues: { from: `0x${'0'.repeat(40)}`, to: '', data: '', block: 'latest' } });
  const call = useMutation<RpcAnswer<string>, ApiError, typeof form.values>({
    mutationFn: ({ from, to, data, block }) =>
      rpc(network, 'eth_call', [{ from, to, data: data.trim() || '0x' }, block]),
  });
  return (
    <Section title="Call a contract">
      <form onSubmit={form.onSubmit((values) => call.mutate(values))}>
        <Stack gap="sm">
          <TextInput label="From" required {...form.getInputProps('from')} />
          <TextInput label="To" placeholder="0x…" required {...form.getInputProps('to')} />
          <Textarea label="Data" placeholder="0x…" autosize minRows={2} maxRows={8} {...form.getInputProps('data')} />
          <TextInput label="Block" {...form.getInputProps('block')} />
          <Button type="submit" loading={call.isPending}>
            Call
          </Button>
        </Stack>
      </form>
      {call.error && <Failure error={call.error} />}
      {call.data && <Outcome answer={call.data} />}
    </Section>
  );
}

function Outcome({ answer: { result, error } }: { answer: RpcAnswer<string> }) {
  if (error)
    return (
      <Alert
        mt="sm"
        color={error.code === 3 ? 'orange' : 'red'}
        title={error.code === 3 ? 'The contract reverted' : `Error ${error.code}`}
        role="alert"
      >
        <Text size="sm">{error.message}</Text>
        {typeof error.data === 'string' && error.data !== '0x' && (
          <Code block tabIndex={0} className="wrap-anywhere">
            {error.data}
          </Code>
        )}
      </Alert>
    );
  return (
    <Alert mt="sm" color="teal" title="Result" role="status">
      <Code block tabIndex={0}>
        {result}
      </Code>
      {result !== undefined && result.length === 66 && <Text size="sm">As a number: {BigInt(result).toString()}</Text>}
    </Alert>
  );
}
