import { Anchor, Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload, IconExternalLink } from '@tabler/icons-react';
import { Link } from 'wouter';
import { bytes, count, time } from '../../format.ts';
import { Answer, Copy } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';
import { addressOf } from './address.ts';
import { BlockTree } from './block-tree.tsx';
import { type FileRow, titleOf } from './file-row.ts';
import { Preview } from './preview.tsx';

interface Details extends FileRow {
  readonly codec: string;
  readonly hash: string;
  readonly forms: readonly { readonly title: string; readonly text: string }[];
}

interface NameList {
  readonly names: readonly { readonly name: string; readonly id: string; readonly path: string }[];
}

const modes: Readonly<Record<string, string>> = {
  recursive: 'Recursive: the whole DAG is kept',
  direct: 'Direct: only the root block is kept',
};

/** Everything about one pin: preview, CID in each form, size, names and blocks. */
export function DetailsDrawer({ row, onClose }: { row: FileRow; onClose: () => void }) {
  const details = useApi<Details>(`files/${row.cid}/details`);
  const isFolder = row.kind === 'folder';
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Text fw={600} className="wrap-anywhere">
          {titleOf(row)}
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {!isFolder && <Preview row={row} />}
        <Group gap="xs">
          {isFolder ? (
            <Button component={Link} href={`/files/${row.cid}`} size="xs" variant="default">
              Open the folder
            </Button>
          ) : (
            <Button
              component="a"
              href={addressOf(row)}
              target="_blank"
              rel="noreferrer"
              size="xs"
              variant="default"
              leftSection={<IconExternalLink size={14} />}
            >
              Open
            </Button>
          )}
          <Button
            component="a"
            href={addressOf(row, isFolder ? 'archive' : 'download')}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            {isFolder ? 'Download as tar' : 'Download'}
          </Button>
        </Group>
        <Answer query={details}>{(found) => <Facts of={found} />}</Answer>
        <Names cid={row.cid} />
        <section>
          <Title order={2} size="h5" mb={4}>
            Blocks
          </Title>
          <BlockTree root={row.cid} />
        </section>
      </Stack>
    </Drawer>
  );
}

function Facts({ of }: { of: Details }) {
  const facts = [
    ['Size', `${bytes(of.bytes)} (${count(of.bytes)} bytes)`],
    ['Blocks', count(of.blocks)],
    ['Pinned', time(of.createdAt)],
    ['Mode', modes[of.mode] ?? of.mode],
    ['Format', `${of.codec}, ${of.hash}`],
  ] as const;
  return (
    <>
      <Table aria-label="Facts" layout="fixed">
        <Table.Tbody>
          {facts.map(([title, text]) => (
            <Table.Tr key={title}>
              <Table.Th w={90}>{title}</Table.Th>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <section>
        <Title order={2} size="h5" mb={4}>
          CID in each form
        </Title>
        <Stack gap={6}>
          {of.forms.map(({ title, text }) => (
            <div key={title}>
              <Text size="xs" c="dimmed">
                {title}
              </Text>
              <Group gap={4} wrap="nowrap" align="flex-start">
                <Text size="sm" ff="monospace" className="wrap-anywhere">
                  {text}
                </Text>
                <Copy value={text} label={`Copy ${title}`} />
              </Group>
            </div>
          ))}
        </Stack>
      </section>
    </>
  );
}

/** IPNS names of the account that point to a CID. */
function Names({ cid }: { cid: string }) {
  const names = useApi<NameList>('names');
  const found = names.data?.names.filter(({ path }) => path === `/ipfs/${cid}` || path.startsWith(`/ipfs/${cid}/`));
  if (found === undefined || found.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb={4}>
        Names
      </Title>
      {found.map(({ name, id }) => (
        <Text key={id} size="sm" className="wrap-anywhere">
          <Anchor component={Link} href="/names" underline="always">
            {name}
          </Anchor>{' '}
          <Text span ff="monospace" size="xs" c="dimmed">
            /ipns/{id}
          </Text>
        </Text>
      ))}
    </section>
  );
}
