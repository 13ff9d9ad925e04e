import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCloudDownload, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Me } from '../api.ts';
import { bytes, count } from '../format.ts';
import { Answer, Empty, PageHead } from '../parts.tsx';
import { DropArea } from '../uploads/drop-area.tsx';
import { useApi } from '../use-api.ts';
import { FetchDialog } from './files/fetch-dialog.tsx';
import type { FileRow } from './files/file-row.ts';
import { FileTable } from './files/file-table.tsx';
import { PinRequests } from './files/pin-requests.tsx';
import { ServingCard } from './files/serving.tsx';
import { WebhookCard } from './files/webhook.tsx';

interface Files {
  readonly files: readonly FileRow[];
  readonly count: number;
  readonly usage: { readonly pins: number; readonly bytes: number };
}

/** Pins of the account, and the drop area for uploads. */
export function FilesPage({ me }: { me: Me }) {
  const [search, setSearch] = useState('');
  const [isFetching, setIsFetching] = useState(false);
  const [wanted] = useDebouncedValue(search, 200);
  const files = useApi<Files>(`files?search=${encodeURIComponent(wanted)}`, { refreshMs: 15_000 });
  return (
    <>
      <PageHead title="Files" text="Files and folders pinned by this account.">
        <Button
          variant="default"
          leftSection={<IconCloudDownload size={16} />}
          disabled={me.account.card === undefined}
          onClick={() => setIsFetching(true)}
        >
          Fetch by CID
        </Button>
      </PageHead>
      {isFetching && <FetchDialog onClose={() => setIsFetching(false)} />}
      <Stack>
        {me.account.card === undefined && (
          <Alert color="orange" title="Storage needs a billing card">
            On the free plan too.{' '}
            <Anchor component={Link} href="/billing" underline="always" c="inherit">
              Attach one
            </Anchor>{' '}
            to add and read files.
          </Alert>
        )}
        <DropArea isOff={me.account.card === undefined} />
        {me.account.card !== undefined && <PinRequests />}
        <TextInput
          placeholder="Name or CID"
          aria-label="Search files"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Answer query={files}>
          {({ files: rows, count: found, usage }) =>
            rows.length === 0 ? (
              <Empty title={wanted === '' ? 'No files yet' : 'Nothing found'}>
                {wanted === ''
                  ? 'Drop a file or a folder above, or add one through the API.'
                  : 'Try another part of the name or the CID.'}
              </Empty>
            ) : (
              <>
                <FileTable rows={rows} />
                <Text size="sm" c="dimmed">
                  {rows.length < found ? `The newest ${count(rows.length)} of ${count(found)} are shown. ` : ''}
                  {count(usage.pins)} {usage.pins === 1 ? 'pin holds' : 'pins hold'} {bytes(usage.bytes)}.
                </Text>
              </>
            )
          }
        </Answer>
        {me.account.card !== undefined && <WebhookCard />}
        {me.account.card !== undefined && <ServingCard me={me} />}
      </Stack>
    </>
  );
}
