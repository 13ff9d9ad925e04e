import { ActionIcon, Badge, Card, Group, Loader, Stack, Text, Title, Tooltip } from '@mantine/core';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../api.ts';
import { ago, bytes, count, short } from '../../format.ts';
import { Copy } from '../../parts.tsx';
import { useApi, useChange, useRight } from '../../use-api.ts';

interface PinRequestRow {
  readonly id: string;
  readonly status: 'queued' | 'pinning' | 'pinned' | 'failed';
  readonly createdAt: number;
  readonly cid: string;
  readonly name: string;
  readonly reason?: string;
  readonly fetched?: { readonly bytes: number; readonly blocks: number };
}

const colors = { queued: 'gray', pinning: 'blue', pinned: 'teal', failed: 'red' } as const;
const titles = { queued: 'queued', pinning: 'fetching', pinned: 'pinned', failed: 'failed' } as const;

/** Fetches that wait, run or have failed. Shows nothing where there are none. */
export function PinRequests() {
  const requests = useApi<{ readonly count: number; readonly requests: readonly PinRequestRow[] }>('pin-requests', {
    refreshMs: (data) => (data?.requests.some(({ status }) => status !== 'failed') ? 1000 : 15_000),
  });
  const queries = useQueryClient();
  const open = requests.data?.requests.filter(({ status }) => status !== 'failed').length ?? 0;
  const openBefore = useRef(open);
  useEffect(() => {
    // A fetch that ended may have become a file of the list.
    if (open < openBefore.current)
      void queries.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('files?') });
    openBefore.current = open;
  }, [queries, open]);
  const retry = useChange((id: string) => api(`pin-requests/${id}/retry`, { method: 'POST' }), {
    done: 'Requested again.',
  });
  const remove = useChange((id: string) => api(`pin-requests/${id}`, { method: 'DELETE' }), { done: 'Removed.' });
  if (requests.data === undefined || requests.data.requests.length === 0) return null;
  return (
    <Card withBorder padding="md" component="section" aria-label="Fetches">
      <Title order={2} size="h5" mb="xs">
        Fetches
      </Title>
      <Stack gap="sm">
        {requests.data.requests.map((row) => (
          <RequestRow
            key={row.id}
            row={row}
            onRetry={() => retry.mutate(row.id)}
            onRemove={() => remove.mutate(row.id)}
          />
        ))}
        {requests.data.count > requests.data.requests.length && (
          <Text size="sm" c="dimmed">
            The newest {count(requests.data.requests.length)} of {count(requests.data.count)} are shown.
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function RequestRow({ row, onRetry, onRemove }: { row: PinRequestRow; onRetry: () => void; onRemove: () => void }) {
  const title = row.name || short(row.cid);
  const mayChange = useRight('develop');
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Text size="sm" fw={600} truncate maw={320}>
            {title}
          </Text>
          <Badge color={colors[row.status]} variant="light">
            {titles[row.status]}
          </Badge>
          {row.status === 'pinning' && <Loader size={14} aria-hidden />}
        </Group>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" ff="monospace" title={row.cid}>
            {short(row.cid)}
          </Text>
          <Copy value={row.cid} label={`Copy the CID of ${title}`} />
          <Text size="xs" c="dimmed">
            {ago(row.createdAt)}
          </Text>
        </Group>
        {row.fetched && (
          <Text size="sm" role="status">
            {bytes(row.fetched.bytes)} in {count(row.fetched.blocks)} {row.fetched.blocks === 1 ? 'block' : 'blocks'} so
            far
          </Text>
        )}
        {row.reason !== undefined && <Text size="sm">{row.reason}</Text>}
      </Stack>
      <Group gap={4} wrap="nowrap">
        {mayChange && row.status === 'failed' && (
          <Tooltip label="Fetch again">
            <ActionIcon variant="subtle" color="gray" onClick={onRetry} aria-label={`Fetch ${title} again`}>
              <IconRefresh size={18} />
            </ActionIcon>
          </Tooltip>
        )}
        {mayChange && (
          <Tooltip label={row.status === 'failed' ? 'Remove' : 'Stop'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={onRemove}
              aria-label={row.status === 'failed' ? `Remove the fetch of ${title}` : `Stop the fetch of ${title}`}
            >
              <IconX size={18} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </Group>
  );
}
