import { Card, Table, Text } from '@mantine/core';
import { time } from '../../format.ts';
import { Answer } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

interface AuditEntry {
  readonly at: number;
  readonly actor: { readonly who: string; readonly from: string };
  readonly action: string;
  readonly accountId: string;
  readonly key?: string;
  readonly change?: object;
}

/** Audit log, newest entries first. */
export function Audit() {
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
