import { Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copy } from '../../parts.tsx';

/** Names and values, one in each row. Long values can be copied. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Table verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={{ base: 110, sm: 170 }}>{name}</Table.Th>
            <Table.Td className="wrap-anywhere">
              {typeof value === 'string' && value.length > 24 ? (
                <Group gap={4} wrap="nowrap">
                  <Text size="sm" ff="monospace" className="wrap-anywhere">
                    {value}
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
