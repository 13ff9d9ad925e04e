import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** Column of a {@link DataTable}. */
export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly show: (row: Row) => ReactNode;
}

/**
 * Rows with the same columns: a table, or a card for each row on a narrow screen. The roles are explicit, since a browser takes the
 * meaning of a table away when its rows are no table rows.
 * @param label name for screen readers
 * @param minWidth width in pixels below which a wide screen scrolls the table
 */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  minWidth = 640,
  children,
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row, index: number) => string;
  minWidth?: number;
  /** Foot of the table. */
  children?: ReactNode;
}) {
  return (
    // Scrolls by keyboard too.
    <Box className="data-table-scroll" role="group" aria-label={label} tabIndex={0}>
      <Table
        className="data-table"
        verticalSpacing="xs"
        horizontalSpacing="md"
        role="table"
        aria-label={label}
        style={{ '--table-width': `${minWidth}px` }}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ title, isNumber }) => (
              <Table.Th key={title} role="columnheader" ta={isNumber ? 'right' : undefined}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row, index) => (
            <Table.Tr key={keyOf(row, index)} role="row">
              {columns.map(({ title, isNumber, show }) => (
                <Table.Td key={title} role="cell" data-label={title} ta={isNumber ? 'right' : undefined}>
                  {show(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {children}
      </Table>
    </Box>
  );
}
