import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCloudDownload, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Me } from '../api.ts';
import { PageHead } from '../parts.tsx';
import { DropArea } from '../uploads/drop-area.tsx';
import { useRight } from '../use-api.ts';
import { FetchDialog } from './files/fetch-dialog.tsx';
import { FileList } from './files/file-list.tsx';
import { FileTabs } from './files/file-tabs.tsx';
import { PinRequests } from './files/pin-requests.tsx';

/** Pins of the account, and the drop area for uploads. */
export function FilesPage({ me }: { me: Me }) {
  const [search, setSearch] = useState('');
  const [isFetching, setIsFetching] = useState(false);
  const [wanted] = useDebouncedValue(search, 200);
  const mayChange = useRight('develop');
  const hasCard = me.account.card !== undefined;
  return (
    <>
      <PageHead title="Files" text="Files and folders pinned by this account.">
        {mayChange && (
          <Button
            variant="default"
            leftSection={<IconCloudDownload size={16} />}
            disabled={!hasCard}
            onClick={() => setIsFetching(true)}
          >
            Fetch by CID
          </Button>
        )}
      </PageHead>
      {isFetching && <FetchDialog onClose={() => setIsFetching(false)} />}
      <FileTabs shown="list">
        <Stack>
          {!hasCard && (
            <Alert color="orange" title="Storage needs a billing card">
              On the free plan too.{' '}
              <Anchor component={Link} href="/billing" underline="always" c="inherit">
                Attach one
              </Anchor>{' '}
              to add and read files.
            </Alert>
          )}
          {mayChange && <DropArea isOff={!hasCard} />}
          {hasCard && <PinRequests />}
          <TextInput
            placeholder="Name or CID"
            aria-label="Search files"
            leftSection={<IconSearch size={16} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <FileList search={wanted} />
        </Stack>
      </FileTabs>
    </>
  );
}
