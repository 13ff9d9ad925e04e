import { ActionIcon, Alert, Anchor, Card, Group, Menu, Progress, Stack, Table, Text, TextInput } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDots, IconDownload, IconExternalLink, IconPinnedOff, IconSearch, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, type Me } from '../api.ts';
import { bytes, count, short, time } from '../format.ts';
import { Answer, Confirm, Copy, Empty, PageHead } from '../parts.tsx';
import { upload } from '../upload.ts';
import { useApi, useChange } from '../use-api.ts';

interface FileRow {
  readonly cid: string;
  readonly name: string;
  readonly mode: string;
  readonly createdAt: number;
  readonly bytes: number;
}

interface Files {
  readonly files: readonly FileRow[];
  readonly count: number;
  readonly usage: { readonly pins: number; readonly bytes: number };
}

/** What the account has pinned; more by dropping it here. */
export function FilesPage({ me }: { me: Me }) {
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 200);
  const files = useApi<Files>(`files?search=${encodeURIComponent(wanted)}`, { refreshMs: 15_000 });
  return (
    <>
      <PageHead title="Files" text="Everything that this account has pinned." />
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
        <Uploads isOff={me.account.card === undefined} />
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
                  ? 'Drop one above, or add it with a key.'
                  : 'Search for another part of the name or the CID.'}
              </Empty>
            ) : (
              <>
                <FileTable rows={rows} />
                <Text size="sm" c="dimmed">
                  {rows.length < found ? `The newest ${count(rows.length)} of ${count(found)} are shown. ` : ''}
                  {count(usage.pins)} pins hold {bytes(usage.bytes)}.
                </Text>
              </>
            )
          }
        </Answer>
      </Stack>
    </>
  );
}

function Uploads({ isOff }: { isOff: boolean }) {
  const [progress, setProgress] = useState<{ readonly name: string; readonly share: number }>();
  const queries = useQueryClient();
  const addAll = async (dropped: readonly File[]) => {
    for (const file of dropped) {
      try {
        setProgress({ name: file.name, share: 0 });
        await upload(file, (share) => setProgress({ name: file.name, share }));
        notifications.show({ message: `${file.name} is stored.`, color: 'teal' });
      } catch (error) {
        const message = error instanceof Error ? error.message : 'unknown';
        notifications.show({ title: `${file.name} was not stored`, message, color: 'red' });
      }
    }
    setProgress(undefined);
    await queries.invalidateQueries();
  };
  return (
    <Dropzone
      onDrop={(dropped) => void addAll(dropped)}
      disabled={isOff || progress !== undefined}
      aria-label="Add files"
    >
      <Group justify="center" gap="md" mih={90} wrap="nowrap">
        <IconUpload size={28} stroke={1.5} />
        <div>
          <Text fw={600}>{progress ? `Adding ${progress.name}` : 'Drop files here, or click to choose'}</Text>
          {progress ? (
            <Progress value={progress.share * 100} animated mt={6} aria-label="Progress of the upload" />
          ) : (
            <Text size="sm" c="dimmed">
              They are named by their content, and stay as long as they are pinned.
            </Text>
          )}
        </div>
      </Group>
    </Dropzone>
  );
}

function FileTable({ rows }: { rows: readonly FileRow[] }) {
  const [doomed, setDoomed] = useState<FileRow>();
  const unpin = useChange((cid: string) => api(`files/${cid}`, { method: 'DELETE' }), { done: 'Unpinned.' });
  const address = ({ cid, name }: FileRow) => `/api/files/${cid}?name=${encodeURIComponent(name)}`;
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={600}>
        <Table verticalSpacing="xs" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>CID</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
              <Table.Th>Pinned</Table.Th>
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.cid}>
                <Table.Td>{row.name || <Text c="dimmed">without a name</Text>}</Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Text size="sm" ff="monospace" title={row.cid}>
                      {short(row.cid)}
                    </Text>
                    <Copy value={row.cid} label={`Copy the CID of ${row.name || row.cid}`} />
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{bytes(row.bytes)}</Table.Td>
                <Table.Td>{time(row.createdAt)}</Table.Td>
                <Table.Td>
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${row.name || row.cid}`}>
                        <IconDots size={18} />
                      </ActionIcon>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item
                        component="a"
                        href={address(row)}
                        target="_blank"
                        rel="noreferrer"
                        leftSection={<IconExternalLink size={16} />}
                      >
                        Open
                      </Menu.Item>
                      <Menu.Item
                        component="a"
                        href={`${address(row)}&download`}
                        leftSection={<IconDownload size={16} />}
                      >
                        Download
                      </Menu.Item>
                      <Menu.Item color="red" leftSection={<IconPinnedOff size={16} />} onClick={() => setDoomed(row)}>
                        Unpin
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Confirm
        title={`Unpin ${doomed?.name || 'this file'}?`}
        text="The content is removed when nobody pins it any more."
        action="Unpin it"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && unpin.mutate(doomed.cid)}
      />
    </Card>
  );
}
