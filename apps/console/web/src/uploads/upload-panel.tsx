import {
  ActionIcon,
  Anchor,
  Box,
  Button,
  Collapse,
  Group,
  Paper,
  Progress,
  ScrollArea,
  Stack,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconFile, IconFolder, IconRefresh, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { bytes, count, duration } from '../format.ts';
import { isUnderWay, type UploadItem } from './upload-queue.ts';
import { uploads, useUploads } from './use-uploads.ts';

/** Most visible rows. Running uploads are first. */
const rowsMax = 50;

/** Panel with the uploads of this tab, shown on every page. */
export function UploadPanel() {
  const items = useUploads();
  const [isOpen, { toggle }] = useDisclosure(true);
  if (items.length === 0) return null;
  const underWay = items.filter(isUnderWay);
  const shown = [...underWay, ...items.filter((item) => !isUnderWay(item)).reverse()].slice(0, rowsMax);
  const title = titleOf(items);
  return (
    <>
      {/* Room for the end of the page above the panel. */}
      <Box h={isOpen ? 'min(420px, 50vh)' : 64} aria-hidden />
      <Paper
        withBorder
        shadow="md"
        pos="fixed"
        bottom={12}
        right={12}
        w="min(400px, calc(100vw - 24px))"
        style={{ zIndex: 150 }}
        component="section"
        aria-label="Uploads"
      >
        <VisuallyHidden role="status">{lastOf(items)}</VisuallyHidden>
        <Group justify="space-between" px="md" py="xs" wrap="nowrap">
          <Text fw={600} size="sm">
            {title}
          </Text>
          <Group gap={4} wrap="nowrap">
            {underWay.length < items.length && (
              <Button size="compact-xs" variant="subtle" color="gray" onClick={() => uploads.clear()}>
                Clear
              </Button>
            )}
            <ActionIcon variant="subtle" color="gray" onClick={toggle} aria-expanded={isOpen} aria-label="Show uploads">
              {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
            </ActionIcon>
          </Group>
        </Group>
        <Collapse expanded={isOpen}>
          <ScrollArea.Autosize mah="min(360px, 45vh)" viewportProps={{ tabIndex: 0, 'aria-label': 'List of uploads' }}>
            <Stack gap="sm" px="md" pb="md" component="ul" m={0} style={{ listStyle: 'none' }}>
              {shown.map((item) => (
                <UploadRow key={item.id} item={item} />
              ))}
              {items.length > rowsMax && (
                <Text component="li" size="sm" c="dimmed">
                  And {count(items.length - rowsMax)} more.
                </Text>
              )}
            </Stack>
          </ScrollArea.Autosize>
        </Collapse>
      </Paper>
    </>
  );
}

function UploadRow({ item }: { item: UploadItem }) {
  const { id, name, kind, state, error, cid } = item;
  const Icon = kind === 'folder' ? IconFolder : IconFile;
  const canRetry = state === 'failed' || state === 'cancelled';
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Group gap={6} wrap="nowrap" miw={0}>
          <Icon size={16} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="sm" truncate title={name}>
            {name}
          </Text>
        </Group>
        {canRetry && <RowAction label={`Retry ${name}`} icon={IconRefresh} onClick={() => uploads.retry(id)} />}
        {isUnderWay(item) && <RowAction label={`Cancel ${name}`} icon={IconX} onClick={() => uploads.cancel(id)} />}
        {state === 'stored' && cid !== undefined && kind === 'folder' && (
          <Anchor component={Link} href={`/files/${cid}`} size="sm" underline="always">
            Open
          </Anchor>
        )}
      </Group>
      {(state === 'sending' || state === 'storing') && (
        <Progress
          value={shareOf(item)}
          animated={state === 'storing'}
          size="sm"
          my={4}
          aria-label={`Progress of ${name}`}
        />
      )}
      <Text size="xs" c={state === 'failed' ? 'red.9' : 'dimmed'} style={{ overflowWrap: 'anywhere' }}>
        {textOf(item)}{' '}
        {error?.code === 'CARD_REQUIRED' && (
          <Anchor component={Link} href="/billing" size="xs" underline="always">
            Attach a card
          </Anchor>
        )}
      </Text>
    </li>
  );
}

function RowAction({ label, icon: Icon, onClick }: { label: string; icon: typeof IconX; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={onClick} aria-label={label}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function titleOf(items: readonly UploadItem[]): string {
  const underWay = items.filter(isUnderWay);
  const failed = items.filter(({ state }) => state === 'failed').length;
  if (underWay.length > 0) {
    const all = underWay.reduce((sum, item) => sum + item.bytes, 0);
    const sent = underWay.reduce((sum, item) => sum + item.sent, 0);
    const percent = all === 0 ? 0 : Math.floor((sent / all) * 100);
    return `Adding ${underWay.length === 1 ? '1 upload' : `${count(underWay.length)} uploads`}: ${percent} %`;
  }
  return failed > 0 ? `${count(failed)} not stored` : 'All uploads are done';
}

/** Announcement for screen readers when an upload ends. */
function lastOf(items: readonly UploadItem[]): string {
  const last = items.findLast(({ state }) => state === 'stored' || state === 'failed');
  if (last === undefined) return '';
  return last.state === 'stored' ? `${last.name} is stored.` : `${last.name} was not stored. ${last.error?.message}`;
}

function shareOf({ sent, bytes: all }: UploadItem): number {
  return all === 0 ? 100 : Math.floor((sent / all) * 100);
}

function textOf(item: UploadItem): string {
  const { state, kind, files, bytes: all, sent, rate, error } = item;
  const size = kind === 'folder' ? `${count(files)} files, ${bytes(all)}` : bytes(all);
  switch (state) {
    case 'waiting':
      return `Waiting · ${size}`;
    case 'sending': {
      const left = rate > 0 ? ` · ${bytes(rate)}/s · ${duration((all - sent) / rate)} left` : '';
      return `${shareOf(item)} % of ${size}${left}`;
    }
    case 'storing':
      return `Sent, being stored · ${size}`;
    case 'stored':
      return `Stored · ${size}`;
    case 'cancelled':
      return 'Cancelled. Nothing was stored.';
    case 'failed':
      return `Not stored. ${error?.message ?? ''}`;
  }
}
