import { Button, Group, Pagination, Paper, Select, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPinnedOff } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api.ts';
import { bytes, count } from '../../format.ts';
import { Answer, Confirm, Empty } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';
import { type FileOrder, type FileRow, type Sorting, titleOf } from './file-row.ts';
import { FileCards, FileTable } from './file-table.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

const DetailsDrawer = lazy(() => import('./details.tsx').then(({ DetailsDrawer: drawer }) => ({ default: drawer })));

interface Files {
  readonly files: readonly FileRow[];
  readonly count: number;
  readonly pageRows: number;
  readonly usage: { readonly pins: number; readonly bytes: number };
}

/** Orders to choose on a narrow screen, which shows no columns. */
const orders = [
  { value: 'createdAt down', label: 'Newest first' },
  { value: 'createdAt up', label: 'Oldest first' },
  { value: 'name up', label: 'Name' },
  { value: 'bytes down', label: 'Largest first' },
] as const;

/** Pages of the files of the account, with details and actions on one or several of them. */
export function FileList({ search }: { search: string }) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'createdAt', isDescending: true });
  const [{ page, of }, setPage] = useState({ page: 1, of: search });
  // A new search begins at its first page.
  const shownPage = of === search ? page : 1;
  const options = new URLSearchParams({
    search,
    sort: sorting.by,
    order: sorting.isDescending ? 'descending' : 'ascending',
    page: String(shownPage),
  });
  const files = useApi<Files>(`files?${options}`, { refreshMs: 15_000 });
  const isPhone = useMediaQuery('(max-width: 48em)');
  const sort = (next: Sorting) => {
    setSorting(next);
    setPage({ page: 1, of: search });
  };
  const sortBy = (by: FileOrder) => {
    const isFirst = sorting.by !== by;
    sort({ by, isDescending: isFirst ? by !== 'name' : !sorting.isDescending });
  };
  return (
    <Answer query={files}>
      {({ files: rows, count: found, pageRows, usage }) =>
        rows.length === 0 && shownPage === 1 ? (
          <Empty title={search === '' ? 'No files yet' : 'Nothing found'}>
            {search === ''
              ? 'Drop a file or a folder above, or add one through the API.'
              : 'Try another part of the name or the CID.'}
          </Empty>
        ) : (
          <Stack>
            {isPhone && (
              <Select
                aria-label="Order of the files"
                data={[...orders]}
                value={`${sorting.by} ${sorting.isDescending ? 'down' : 'up'}`}
                allowDeselect={false}
                onChange={(value) => {
                  const [by = 'createdAt', direction] = (value ?? '').split(' ');
                  sort({ by: by as FileOrder, isDescending: direction === 'down' });
                }}
              />
            )}
            <Rows rows={rows} isPhone={isPhone === true} sorting={sorting} onSort={sortBy} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {search !== '' && `${count(found)} found. `}
                {count(usage.pins)} {usage.pins === 1 ? 'pin holds' : 'pins hold'} {bytes(usage.bytes)}.
              </Text>
              {found > pageRows && (
                <Pagination
                  total={Math.ceil(found / pageRows)}
                  value={shownPage}
                  onChange={(next) => setPage({ page: next, of: search })}
                  size="sm"
                  siblings={isPhone ? 0 : 1}
                  getControlProps={(control) => ({ 'aria-label': `${control} page` })}
                  getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
                />
              )}
            </Group>
          </Stack>
        )
      }
    </Answer>
  );
}

/** Rows of one page with their dialogs. */
function Rows({
  rows,
  isPhone,
  sorting,
  onSort,
}: {
  rows: readonly FileRow[];
  isPhone: boolean;
  sorting: Sorting;
  onSort: (by: FileOrder) => void;
}) {
  const [doomed, setDoomed] = useState<readonly FileRow[]>([]);
  const [renamed, setRenamed] = useState<FileRow>();
  const [shared, setShared] = useState<FileRow>();
  const [detailed, setDetailed] = useState<FileRow>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Rows that another page shows, or that are gone, are not chosen any more.
  const chosenRows = rows.filter(({ cid }) => chosen.has(cid));
  const unpin = useChange(
    async (cids: readonly string[]) => {
      await api('files/unpin', { method: 'POST', body: { cids } });
      setChosen(new Set());
      setDetailed(undefined);
    },
    { done: ({ length }) => (length > 1 ? `${count(length)} files unpinned.` : 'Unpinned.') },
  );
  const toggle = (cid: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(cid)) after.add(cid);
      return after;
    });
  const shown = {
    rows,
    choice: { cids: chosen, toggle },
    onDetails: setDetailed,
    onShare: setShared,
    onRename: setRenamed,
    onUnpin: (row: FileRow) => setDoomed([row]),
  };
  const [first] = doomed;
  const doomedTitle = doomed.length === 1 && first !== undefined ? titleOf(first) : `${count(doomed.length)} files`;
  return (
    <>
      {chosenRows.length > 0 && (
        <Paper withBorder p="xs" role="region" aria-label="Chosen files">
          <Group justify="space-between">
            <Text size="sm" aria-live="polite">
              {count(chosenRows.length)} chosen
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setChosen(new Set())}>
                Clear
              </Button>
              <Button
                size="xs"
                variant="light"
                color="red"
                leftSection={<IconPinnedOff size={14} />}
                loading={unpin.isPending}
                onClick={() => setDoomed(chosenRows)}
              >
                Unpin
              </Button>
            </Group>
          </Group>
        </Paper>
      )}
      {isPhone ? <FileCards {...shown} /> : <FileTable {...shown} sorting={sorting} onSort={onSort} />}
      <Confirm
        title={`Unpin ${doomedTitle}?`}
        text="The content is deleted when no other pin refers to it."
        action={doomed.length > 1 ? 'Unpin them' : 'Unpin it'}
        isOpen={doomed.length > 0}
        onClose={() => setDoomed([])}
        onConfirm={() => unpin.mutate(doomed.map(({ cid }) => cid))}
      />
      {shared && (
        <ShareDialog
          key={shared.cid}
          content={{ cid: shared.cid, name: titleOf(shared) }}
          onClose={() => setShared(undefined)}
        />
      )}
      {renamed && <RenameDialog key={renamed.cid} row={renamed} onClose={() => setRenamed(undefined)} />}
      {detailed && (
        <Suspense>
          <DetailsDrawer key={detailed.cid} row={detailed} onClose={() => setDetailed(undefined)} />
        </Suspense>
      )}
    </>
  );
}
