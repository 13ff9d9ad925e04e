import { ActionIcon, Anchor, Group, Menu } from '@mantine/core';
import {
  IconDots,
  IconDownload,
  IconExternalLink,
  IconFile,
  IconFolder,
  IconInfoCircle,
  IconPencil,
  IconPinnedOff,
  IconShare,
} from '@tabler/icons-react';
import { Link } from 'wouter';
import { useRight } from '../../use-api.ts';
import { addressOf } from './address.ts';
import { type FileRow, type RowActions, titleOf } from './file-row.ts';

/** Name of a row: a link into a folder, or to the details of a file. */
export function FileName({ row, onDetails }: { row: FileRow; onDetails: (row: FileRow) => void }) {
  const Icon = row.kind === 'folder' ? IconFolder : IconFile;
  const font = row.name === '' ? 'monospace' : undefined;
  return (
    <Group gap={6} wrap="nowrap">
      <Icon
        size={18}
        style={{ flexShrink: 0 }}
        {...(row.kind === 'folder' ? { role: 'img', 'aria-label': 'Folder' } : { 'aria-hidden': true })}
      />
      {row.kind === 'folder' ? (
        <Anchor
          component={Link}
          href={`/files/${row.cid}`}
          size="sm"
          underline="always"
          ff={font}
          className="wrap-anywhere"
        >
          {titleOf(row)}
        </Anchor>
      ) : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="left"
          underline="hover"
          ff={font}
          className="wrap-anywhere"
          onClick={() => onDetails(row)}
        >
          {titleOf(row)}
        </Anchor>
      )}
    </Group>
  );
}

/** Menu of a row. */
export function FileMenu({ row, onDetails, onShare, onRename, onUnpin }: { row: FileRow } & RowActions) {
  const isFolder = row.kind === 'folder';
  const mayChange = useRight('develop');
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
        <Menu.Item leftSection={<IconInfoCircle size={16} />} onClick={() => onDetails(row)}>
          Details
        </Menu.Item>
        <Menu.Item
          component="a"
          href={addressOf(row, isFolder ? 'archive' : 'download')}
          leftSection={<IconDownload size={16} />}
        >
          {isFolder ? 'Download as tar' : 'Download'}
        </Menu.Item>
        {mayChange && (
          <>
            <Menu.Item leftSection={<IconShare size={16} />} onClick={() => onShare(row)}>
              Share or open in gateway
            </Menu.Item>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onRename(row)}>
              Rename
            </Menu.Item>
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconPinnedOff size={16} />}
              onClick={() => onUnpin(row)}
            >
              Unpin
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
