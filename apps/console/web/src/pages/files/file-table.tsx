import { Box, Card, Checkbox, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { bytes, short, time } from '../../format.ts';
import { Copy } from '../../parts.tsx';
import { useRight } from '../../use-api.ts';
import { FileMenu, FileName } from './file-parts.tsx';
import { type Choice, type FileOrder, type FileRow, type RowActions, type Sorting, titleOf } from './file-row.ts';

interface RowsProps extends RowActions {
  readonly rows: readonly FileRow[];
  readonly choice: Choice;
}

const columns = [
  { by: 'name', title: 'Name' },
  { by: 'bytes', title: 'Size' },
  { by: 'createdAt', title: 'Pinned' },
] as const satisfies readonly { by: FileOrder; title: string }[];

/** Files as a table with sortable columns. */
export function FileTable({
  rows,
  choice,
  sorting,
  onSort,
  ...actions
}: RowsProps & { readonly sorting: Sorting; readonly onSort: (by: FileOrder) => void }) {
  const mayChange = useRight('develop');
  const [name, size, pinned] = columns.map(({ by, title }) => (
    <SortHead key={by} by={by} title={title} sorting={sorting} onSort={onSort} />
  ));
  return (
    <Card withBorder padding={0}>
      <Box className="data-table-scroll" role="group" aria-label="Files" tabIndex={0}>
        <Table verticalSpacing="xs" horizontalSpacing="md" miw={640}>
          <Table.Thead>
            <Table.Tr>
              {mayChange && (
                <Table.Th w={40}>
                  <ChooseAll rows={rows} choice={choice} />
                </Table.Th>
              )}
              {name}
              <Table.Th>CID</Table.Th>
              {size}
              {pinned}
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.cid} data-chosen={choice.cids.has(row.cid)}>
                {mayChange && (
                  <Table.Td>
                    <ChooseRow row={row} choice={choice} />
                  </Table.Td>
                )}
                <Table.Td>
                  <FileName row={row} onDetails={actions.onDetails} />
                </Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Text size="sm" ff="monospace" title={row.cid}>
                      {short(row.cid)}
                    </Text>
                    <Copy value={row.cid} label={`Copy the CID of ${titleOf(row)}`} />
                  </Group>
                </Table.Td>
                <Table.Td>{bytes(row.bytes)}</Table.Td>
                <Table.Td>{time(row.createdAt)}</Table.Td>
                <Table.Td>
                  <FileMenu row={row} {...actions} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </Card>
  );
}

/** Files on a narrow screen. */
export function FileCards({ rows, choice, ...actions }: RowsProps) {
  const mayChange = useRight('develop');
  return (
    <Stack gap="xs">
      {rows.map((row) => (
        <Card key={row.cid} withBorder padding="sm" component="section" aria-label={titleOf(row)}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Group gap="sm" wrap="nowrap" align="flex-start" miw={0}>
              {mayChange && <ChooseRow row={row} choice={choice} />}
              <div style={{ minWidth: 0 }}>
                <FileName row={row} onDetails={actions.onDetails} />
                <Text size="sm" c="dimmed">
                  {bytes(row.bytes)}, {time(row.createdAt)}
                </Text>
              </div>
            </Group>
            <FileMenu row={row} {...actions} />
          </Group>
        </Card>
      ))}
    </Stack>
  );
}

function SortHead({
  by,
  title,
  sorting,
  onSort,
}: {
  by: FileOrder;
  title: string;
  sorting: Sorting;
  onSort: (by: FileOrder) => void;
}) {
  const isChosen = sorting.by === by;
  const Chosen = sorting.isDescending ? IconArrowDown : IconArrowUp;
  const Icon = isChosen ? Chosen : IconArrowsSort;
  const order = sorting.isDescending ? 'descending' : 'ascending';
  return (
    <Table.Th aria-sort={isChosen ? order : 'none'}>
      <UnstyledButton onClick={() => onSort(by)} fw="inherit" fz="inherit">
        <Group gap={4} wrap="nowrap">
          {title}
          <Icon size={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

function ChooseRow({ row, choice: { cids, toggle } }: { row: FileRow; choice: Choice }) {
  return (
    <Checkbox aria-label={`Choose ${titleOf(row)}`} checked={cids.has(row.cid)} onChange={() => toggle(row.cid)} />
  );
}

function ChooseAll({ rows, choice: { cids, toggle } }: { rows: readonly FileRow[]; choice: Choice }) {
  const chosen = rows.filter(({ cid }) => cids.has(cid));
  const isAll = rows.length > 0 && chosen.length === rows.length;
  const changed = isAll ? rows : rows.filter(({ cid }) => !cids.has(cid));
  return (
    <Checkbox
      aria-label="Choose all files of this page"
      checked={isAll}
      indeterminate={chosen.length > 0 && !isAll}
      onChange={() => {
        for (const { cid } of changed) toggle(cid);
      }}
    />
  );
}
