import { Anchor, Badge } from '@mantine/core';
import { type Column, DataTable } from '../../data-table.tsx';
import { money } from '../../format.ts';
import { Answer, Empty, Section } from '../../parts.tsx';
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
    <Section title="Invoices" isFlush>
      <Answer query={invoices}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No invoices yet">The first one follows the first month of a paid plan.</Empty>
          ) : (
            <DataTable label="Invoices" minWidth={420} rows={list} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Answer>
    </Section>
  );
}

const columns: readonly Column<Invoice>[] = [
  {
    title: 'Number',
    show: ({ number = 'draft', url }) =>
      url === undefined ? (
        number
      ) : (
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm" underline="always">
          {number}
        </Anchor>
      ),
  },
  {
    title: 'Date',
    show: ({ createdAt }) => new Date(createdAt).toLocaleDateString(undefined, { dateStyle: 'medium' }),
  },
  { title: 'Status', show: ({ status }) => <Badge color={status === 'paid' ? 'teal' : 'orange'}>{status}</Badge> },
  { title: 'Amount', isNumber: true, show: ({ amount, currency }) => money(amount, currency) },
];
