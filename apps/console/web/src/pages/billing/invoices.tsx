import { Anchor, Badge, Card, Table, Text, Title } from '@mantine/core';
import { money } from '../../format.ts';
import { Answer } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

interface Invoice {
  readonly id: string;
  readonly number?: string;
  readonly createdAt: number;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly url?: string;
}

/** Invoices of the payment provider. */
export function Invoices() {
  const invoices = useApi<Invoice[]>('billing/invoices');
  return (
    <Card withBorder padding="md" component="section" aria-label="Invoices">
      <Title order={2} size="h4" mb="xs">
        Invoices
      </Title>
      <Answer query={invoices}>
        {(list) =>
          list.length === 0 ? (
            <Text c="dimmed">No invoices yet.</Text>
          ) : (
            <Table verticalSpacing={4}>
              <Table.Tbody>
                {list.map(({ id, number, createdAt, amount, currency, status, url }) => (
                  <Table.Tr key={id}>
                    <Table.Td>{new Date(createdAt).toLocaleDateString(undefined, { dateStyle: 'medium' })}</Table.Td>
                    <Table.Td>
                      {url === undefined ? (
                        (number ?? 'draft')
                      ) : (
                        <Anchor href={url} target="_blank" rel="noreferrer">
                          {number ?? 'draft'}
                        </Anchor>
                      )}
                    </Table.Td>
                    <Table.Td>
                      <Badge color={status === 'paid' ? 'teal' : 'orange'}>{status}</Badge>
                    </Table.Td>
                    <Table.Td ta="right">{money(amount, currency)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Answer>
    </Card>
  );
}
