import { Anchor, Breadcrumbs, Button, Card, Group, Table, Text } from '@mantine/core';
import { IconDownload, IconFile, IconFolder } from '@tabler/icons-react';
import { Link, useParams, useSearchParams } from 'wouter';
import { bytes, count, short } from '../../format.ts';
import { Answer, Copy, Empty, PageHead } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';
import { addressOf } from './address.ts';

interface Entry {
  readonly name: string;
  readonly cid: string;
  readonly bytes: number;
  readonly kind: 'file' | 'folder';
}

interface Folder {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly isCut: boolean;
}

/** Contents of one folder. */
export function FolderPage() {
  const { cid = '' } = useParams<{ cid: string }>();
  const [search] = useSearchParams();
  const path = search.get('path') ?? '';
  const folder = useApi<Folder>(`files/${encodeURIComponent(cid)}/entries?path=${encodeURIComponent(path)}`);
  return (
    <Answer query={folder}>
      {({ name, entries, isCut }) => (
        <>
          <PageHead title={path.split('/').at(-1) || name || short(cid)} text="Contents of this folder.">
            <Button
              component="a"
              variant="default"
              href={addressOf({ cid, name: path.split('/').at(-1) || name, path }, 'archive')}
              leftSection={<IconDownload size={16} />}
            >
              Download as tar
            </Button>
          </PageHead>
          <Trail cid={cid} name={name} path={path} />
          {entries.length === 0 ? (
            <Empty title="This folder is empty" />
          ) : (
            <Entries cid={cid} path={path} entries={entries} />
          )}
          {isCut && (
            <Text size="sm" c="dimmed" mt="sm">
              The first {count(entries.length)} entries are shown. Use the API for the others: ls?arg={short(cid)}
            </Text>
          )}
        </>
      )}
    </Answer>
  );
}

function Trail({ cid, name, path }: { cid: string; name: string; path: string }) {
  const parts = path === '' ? [] : path.split('/');
  const root = name || short(cid);
  return (
    <Group mb="md" gap={4}>
      <Breadcrumbs separatorMargin={6}>
        <Anchor component={Link} href="/files" underline="always">
          Files
        </Anchor>
        {parts.length === 0 ? (
          <Text>{root}</Text>
        ) : (
          <Anchor component={Link} href={`/files/${cid}`} underline="always">
            {root}
          </Anchor>
        )}
        {parts.map((part, index) => {
          const below = parts.slice(0, index + 1).join('/');
          if (index === parts.length - 1) return <Text key={below}>{part}</Text>;
          return (
            <Anchor key={below} component={Link} href={hrefOf(cid, below)} underline="always">
              {part}
            </Anchor>
          );
        })}
      </Breadcrumbs>
      <Copy value={path === '' ? cid : `${cid}/${path}`} label="Copy the path of this folder" />
    </Group>
  );
}

function Entries({ cid, path, entries }: { cid: string; path: string; entries: readonly Entry[] }) {
  return (
    <Card withBorder padding={0}>
      <Table verticalSpacing="xs" horizontalSpacing="md" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th ta="right" w={110}>
              Size
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => {
            const below = path === '' ? entry.name : `${path}/${entry.name}`;
            const isFolder = entry.kind === 'folder';
            const Icon = isFolder ? IconFolder : IconFile;
            return (
              <Table.Tr key={entry.name}>
                <Table.Td>
                  <Group gap={6} wrap="nowrap">
                    <Icon size={18} aria-hidden style={{ flexShrink: 0 }} />
                    {isFolder ? (
                      <Anchor component={Link} href={hrefOf(cid, below)} underline="always" truncate>
                        {entry.name}
                      </Anchor>
                    ) : (
                      <Anchor
                        href={addressOf({ cid, name: entry.name, path: below })}
                        target="_blank"
                        rel="noreferrer"
                        underline="always"
                        truncate
                      >
                        {entry.name}
                      </Anchor>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{isFolder ? '' : bytes(entry.bytes)}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function hrefOf(cid: string, path: string): string {
  return `/files/${cid}?path=${encodeURIComponent(path)}`;
}
