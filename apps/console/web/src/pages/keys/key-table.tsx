import { Badge, Box, Button, Card, Group, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { type ApiKey, api, type IssuedKey } from '../../api.ts';
import { ago, time } from '../../format.ts';
import { Confirm, Copy } from '../../parts.tsx';
import { useChange, useRight } from '../../use-api.ts';

/** Keys with their actions: a table, or cards on a narrow screen. */
export function KeyTable({
  keys,
  onIssued,
  onEdit,
  onConnect,
}: {
  keys: ApiKey[];
  onIssued: (issued: IssuedKey) => void;
  onEdit: (key: ApiKey) => void;
  onConnect: (key: ApiKey) => void;
}) {
  const revoke = useChange((id: string) => api(`keys/${encodeURIComponent(id)}/revoke`, { method: 'POST' }), {
    done: 'Revoked. Requests with this key are refused now.',
  });
  const rotate = useChange((id: string) =>
    api<IssuedKey>(`keys/${encodeURIComponent(id)}/rotate`, { method: 'POST', body: {} }),
  );
  const [doomed, setDoomed] = useState<ApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
  const isPhone = useMediaQuery('(max-width: 48em)');
  const actions = { onEdit, onConnect, onRotate: setRotated, onRevoke: setDoomed };
  return (
    <>
      {isPhone ? <KeyCards keys={keys} {...actions} /> : <Rows keys={keys} {...actions} />}
      <Confirm
        title={`Create a new secret for ${rotated?.name}?`}
        text="The current secret stops working in 24 hours. Replace it in your programs before then."
        action="Create a new secret"
        isOpen={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        onConfirm={() => rotated && rotate.mutate(rotated.id, { onSuccess: onIssued })}
      />
      <Confirm
        title={`Revoke ${doomed?.name}?`}
        text="All services refuse this key immediately. This cannot be undone."
        action="Revoke the key"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && revoke.mutate(doomed.id)}
      />
    </>
  );
}

interface KeyActions {
  readonly onEdit: (key: ApiKey) => void;
  readonly onConnect: (key: ApiKey) => void;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

function Rows({ keys, ...actions }: { keys: readonly ApiKey[] } & KeyActions) {
  return (
    <Card withBorder padding={0}>
      <Box className="data-table-scroll" role="group" aria-label="API keys" tabIndex={0}>
        <Table verticalSpacing="xs" horizontalSpacing="md" miw={720}>
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
                  <Text fw={600} size="sm">
                    {key.name}
                  </Text>
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
                  <Actions of={key} {...actions} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </Card>
  );
}

/** Keys on a narrow screen. */
function KeyCards({ keys, ...actions }: { keys: readonly ApiKey[] } & KeyActions) {
  return (
    <Stack gap="sm">
      {keys.map((key) => (
        <Card key={key.id} withBorder padding="md" component="section" aria-label={`Key ${key.name}`}>
          <Group justify="space-between" wrap="nowrap">
            <Text fw={600}>{key.name}</Text>
            <Text size="sm" c="dimmed">
              {key.lastUsedAt === undefined ? 'never used' : ago(key.lastUsedAt)}
            </Text>
          </Group>
          <State of={key} />
          <Group gap={4} wrap="nowrap">
            <Text size="sm" ff="monospace" className="wrap-anywhere">
              {key.id}
            </Text>
            <Copy value={key.id} label={`Copy the key ${key.name}`} />
          </Group>
          <Text size="sm" mb="xs" className="wrap-anywhere">
            Limits: {limitsOf(key)}
          </Text>
          <Actions of={key} {...actions} />
        </Card>
      ))}
    </Stack>
  );
}

function Actions({ of: key, onEdit, onConnect, onRotate, onRevoke }: { of: ApiKey } & KeyActions) {
  const mayChange = useRight('develop');
  if (key.revokedAt !== undefined) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="light" onClick={() => onConnect(key)}>
        Connect
      </Button>
      {mayChange && (
        <>
          <Button size="xs" variant="default" onClick={() => onEdit(key)}>
            Limits
          </Button>
          <Button size="xs" variant="default" onClick={() => onRotate(key)}>
            New secret
          </Button>
          <Button size="xs" variant="subtle" color="red" onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        </>
      )}
    </Group>
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
  const lines = Object.entries(policy).map(([name, list]) => `${name}: ${(list as string[]).join(', ') || 'none'}`);
  return lines.join('; ') || 'none';
}
