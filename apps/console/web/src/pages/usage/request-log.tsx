import { Button, Card, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiKey, LoggedRequest, Me, RequestPage } from '../../api.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { count } from '../../format.ts';
import { Answer, Copy, Empty, StateDot } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

const pageSize = 50;
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
      <Group align="flex-end" gap="sm" className="filters">
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
              <Card withBorder padding={0}>
                <DataTable
                  label="Requests"
                  minWidth={940}
                  rows={page.requests}
                  columns={columns}
                  keyOf={({ requestId }, index) => `${requestId} ${index}`}
                />
              </Card>
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

const columns: readonly Column<LoggedRequest>[] = [
  {
    title: 'Method',
    show: ({ operation, network, service }) => (
      <div>
        <Text size="sm" fw={500}>
          {operation}
        </Text>
        <Text size="xs" c="dimmed">
          {network || service}
        </Text>
      </div>
    ),
  },
  {
    title: 'Time',
    show: ({ at, skipped }) => (
      <div>
        {timeOf.format(at)}
        {skipped !== undefined && (
          <Text size="xs" c="dimmed">
            and {count(skipped)} more, not logged
          </Text>
        )}
      </div>
    ),
  },
  { title: 'Outcome', show: (request) => <Outcome of={request} /> },
  { title: 'Duration', isNumber: true, show: ({ durationMs }) => `${durationMs.toFixed(1)} ms` },
  { title: 'Credits', isNumber: true, show: ({ credits }) => count(credits) },
  { title: 'Key', show: ({ keyName }) => keyName },
  { title: 'Origin', show: ({ origin }) => origin ?? '–' },
  {
    title: 'Request ID',
    show: ({ requestId }) => (
      <Group gap={2} wrap="nowrap" display="inline-flex">
        <Text size="xs" ff="monospace" span>
          {requestId.slice(0, 8)}
        </Text>
        <Copy value={requestId} label="Copy the request ID" />
      </Group>
    ),
  },
];

function Outcome({ of: { outcome, limit, error } }: { of: LoggedRequest }) {
  return (
    <Group gap={8} wrap="nowrap" display="inline-flex">
      <StateDot color={colors[outcome]} />
      <span>
        {outcome}{' '}
        <Text span size="xs" c="dimmed">
          {limit ?? error}
        </Text>
      </span>
    </Group>
  );
}
