import { Badge, Button, Card, Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { type ApiKey, api, type IssuedKey } from '../../api.ts';
import { ago, time } from '../../format.ts';
import { Confirm, Copy } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';

/** Table of keys with their actions. */
export function KeyTable({
  keys,
  onIssued,
  onEdit,
}: {
  keys: ApiKey[];
  onIssued: (issued: IssuedKey) => void;
  onEdit: (key: ApiKey) => void;
}) {
  const revoke = useChange((id: string) => api(`keys/${encodeURIComponent(id)}/revoke`, { method: 'POST' }), {
    done: 'Revoked. Requests with this key are refused now.',
  });
  const rotate = useChange((id: string) =>
    api<IssuedKey>(`keys/${encodeURIComponent(id)}/rotate`, { method: 'POST', body: {} }),
  );
  const [doomed, setDoomed] = useState<ApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
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
                      <Button size="xs" variant="default" onClick={() => setRotated(key)}>
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
  const lines = Object.entries(policy).map(([name, list]) => `${name}: ${(list as string[]).join(', ') || 'none'}`);
  return lines.join('; ') || 'none';
}
