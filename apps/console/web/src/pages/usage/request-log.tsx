import { Badge, Button, Card, Code, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiKey, LoggedRequest, Me, RequestPage } from '../../api.ts';
import { count } from '../../format.ts';
import { Answer, Copy, Empty } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

const pageSize = 100;
const colors = { ok: 'teal', error: 'red', limited: 'orange' } as const;

const nothing = { operation: '', key: '', network: '', outcome: '', requestId: '' };

/** The last requests of the account, with filters and export. */
export function RequestLog({ me }: { me: Me }) {
  const [filter, setFilter] = useState(nothing);
  const [offset, setOffset] = useState(0);
  const [typed] = useDebouncedValue(filter, 300);
  const query = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''));
  const path = `requests?${new URLSearchParams([...query, ['offset', String(offset)], ['count', String(pageSize)]])}`;
  // Later pages stand still while a person reads them.
  const log = useApi<RequestPage>(path, offset === 0 ? { refreshMs: 3000 } : {});
  const keys = useApi<ApiKey[]>('keys');
  const choose = (name: keyof typeof nothing, value: string) => {
    setFilter({ ...filter, [name]: value });
    setOffset(0);
  };
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Outcome"
          data={[
            { value: '', label: 'All' },
            { value: 'ok', label: 'Succeeded' },
            { value: 'error', label: 'Failed' },
            { value: 'limited', label: 'Limited' },
          ]}
          value={filter.outcome}
          onChange={(event) => choose('outcome', event.currentTarget.value)}
        />
        <TextInput
          label="Method"
          placeholder="eth_call, add"
          value={filter.operation}
          onChange={(event) => choose('operation', event.currentTarget.value.trim())}
        />
        <NativeSelect
          label="Key"
          data={[
            { value: '', label: 'All' },
            ...(keys.data ?? []).map(({ reference, name }) => ({ value: reference, label: name })),
          ]}
          value={filter.key}
          onChange={(event) => choose('key', event.currentTarget.value)}
        />
        <NativeSelect
          label="Network"
          data={[{ value: '', label: 'All' }, ...me.networks.map(({ name }) => name)]}
          value={filter.network}
          onChange={(event) => choose('network', event.currentTarget.value)}
        />
        <TextInput
          label="Request ID"
          placeholder="X-Request-Id"
          value={filter.requestId}
          onChange={(event) => choose('requestId', event.currentTarget.value.trim())}
        />
        <Button
          component="a"
          href={`/api/requests/export?${query}`}
          variant="default"
          leftSection={<IconDownload size={16} />}
        >
          Export CSV
        </Button>
      </Group>
      <Answer query={log}>
        {(page) => (
          <>
            <Text size="sm" c="dimmed" role="status">
              {count(page.matching)} of the last {count(page.logged)} requests. The log keeps {count(page.kept)}.
            </Text>
            {page.requests.length === 0 ? (
              <Empty title="No requests match">Requests appear here within two seconds.</Empty>
            ) : (
              <LogTable requests={page.requests} />
            )}
            <Group>
              <Button
                variant="default"
                size="xs"
                disabled={offset === 0}
                onClick={() => setOffset(Math.max(0, offset - pageSize))}
              >
                Newer
              </Button>
              <Button
                variant="default"
                size="xs"
                disabled={offset + pageSize >= page.matching}
                onClick={() => setOffset(offset + pageSize)}
              >
                Older
              </Button>
            </Group>
          </>
        )}
      </Answer>
    </Stack>
  );
}

const timeOf = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  fractionalSecondDigits: 3,
});

function LogTable({ requests }: { requests: readonly LoggedRequest[] }) {
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={860}>
        <Table verticalSpacing={6} horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              {['Time', 'Method', 'Outcome', 'Duration', 'Credits', 'Key', 'Origin', 'Request ID'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {requests.map((request, index) => (
              <Table.Tr key={`${request.requestId} ${String(index)}`}>
                <Table.Td>
                  <Text size="sm">{timeOf.format(request.at)}</Text>
                  {request.skipped !== undefined && (
                    <Text size="xs" c="dimmed">
                      and {count(request.skipped)} more, not logged
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{request.operation}</Text>
                  <Text size="xs" c="dimmed">
                    {request.network || request.service}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Badge color={colors[request.outcome]}>{request.outcome}</Badge>
                  <Text size="xs" c="dimmed">
                    {request.limit ?? request.error}
                  </Text>
                </Table.Td>
                <Table.Td>{request.durationMs.toFixed(1)} ms</Table.Td>
                <Table.Td>{count(request.credits)}</Table.Td>
                <Table.Td>{request.keyName}</Table.Td>
                <Table.Td className="wrap-anywhere">{request.origin ?? '–'}</Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Code>{request.requestId.slice(0, 8)}</Code>
                    <Copy value={request.requestId} label="Copy the request ID" />
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
