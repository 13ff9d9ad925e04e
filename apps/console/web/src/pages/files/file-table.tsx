import { ActionIcon, Anchor, Card, Group, Menu, Table, Text } from '@mantine/core';
import {
  IconDots,
  IconDownload,
  IconExternalLink,
  IconFile,
  IconFolder,
  IconPencil,
  IconPinnedOff,
  IconShare,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { bytes, short, time } from '../../format.ts';
import { Confirm, Copy } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';
import { addressOf } from './address.ts';
import type { FileRow } from './file-row.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

export function FileTable({ rows }: { rows: readonly FileRow[] }) {
  const [doomed, setDoomed] = useState<FileRow>();
  const [renamed, setRenamed] = useState<FileRow>();
  const [shared, setShared] = useState<FileRow>();
  const unpin = useChange((cid: string) => api(`files/${cid}`, { method: 'DELETE' }), { done: 'Unpinned.' });
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
                <Table.Td>
                  <Name row={row} />
                </Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Text size="sm" ff="monospace" title={row.cid}>
                      {short(row.cid)}
                    </Text>
                    <Copy value={row.cid} label={`Copy the CID of ${titleOf(row)}`} />
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{bytes(row.bytes)}</Table.Td>
                <Table.Td>{time(row.createdAt)}</Table.Td>
                <Table.Td>
                  <Actions
                    row={row}
                    onShare={() => setShared(row)}
                    onRename={() => setRenamed(row)}
                    onUnpin={() => setDoomed(row)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Confirm
        title={`Unpin ${doomed === undefined ? 'this file' : titleOf(doomed)}?`}
        text="The content is deleted when no other pin refers to it."
        action="Unpin it"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && unpin.mutate(doomed.cid)}
      />
      {shared && (
        <ShareDialog
          key={shared.cid}
          content={{ cid: shared.cid, name: titleOf(shared) }}
          onClose={() => setShared(undefined)}
        />
      )}
      {renamed && <RenameDialog key={renamed.cid} row={renamed} onClose={() => setRenamed(undefined)} />}
    </Card>
  );
}

/** Name of a row. Default: its CID. */
function titleOf({ name, cid }: Pick<FileRow, 'name' | 'cid'>): string {
  return name || short(cid);
}

function Name({ row }: { row: FileRow }) {
  const Icon = row.kind === 'folder' ? IconFolder : IconFile;
  return (
    <Group gap={6} wrap="nowrap">
      <Icon
        size={18}
        style={{ flexShrink: 0 }}
        {...(row.kind === 'folder' ? { role: 'img', 'aria-label': 'Folder' } : { 'aria-hidden': true })}
      />
      {row.kind === 'folder' ? (
        <Anchor component={Link} href={`/files/${row.cid}`} size="sm" underline="always">
          {titleOf(row)}
        </Anchor>
      ) : (
        <Text size="sm" ff={row.name === '' ? 'monospace' : undefined}>
          {titleOf(row)}
        </Text>
      )}
    </Group>
  );
}

interface ActionsProps {
  readonly row: FileRow;
  readonly onShare: () => void;
  readonly onRename: () => void;
  readonly onUnpin: () => void;
}

function Actions({ row, onShare, onRename, onUnpin }: ActionsProps) {
  const isFolder = row.kind === 'folder';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${titleOf(row)}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isFolder ? (
          <Menu.Item component={Link} href={`/files/${row.cid}`} leftSection={<IconFolder size={16} />}>
            Open
          </Menu.Item>
        ) : (
          <Menu.Item
            component="a"
            href={addressOf(row)}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink size={16} />}
          >
            Open
          </Menu.Item>
        )}
        <Menu.Item
          component="a"
          href={addressOf(row, isFolder ? 'archive' : 'download')}
          leftSection={<IconDownload size={16} />}
        >
          {isFolder ? 'Download as tar' : 'Download'}
        </Menu.Item>
        <Menu.Item leftSection={<IconShare size={16} />} onClick={onShare}>
          Share or open in gateway
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={onRename}>
          Rename
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconPinnedOff size={16} />} onClick={onUnpin}>
          Unpin
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
