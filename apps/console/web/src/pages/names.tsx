import { Alert, Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { api, type Me } from '../api.ts';
import { FieldDialog } from '../form-dialog.tsx';
import { short } from '../format.ts';
import { Answer, Confirm, Copy, Empty, PageHead } from '../parts.tsx';
import { useApi, useChange, useRight } from '../use-api.ts';
import { cidIn } from './files/cid-in.ts';

interface NameRow {
  readonly name: string;
  readonly id: string;
  /** Empty for a name that was never published. */
  readonly path: string;
}

/** IPNS names: addresses that stay while their content changes. */
export function NamesPage({ me }: { me: Me }) {
  const [isCreating, setIsCreating] = useState(false);
  const mayChange = useRight('develop');
  return (
    <>
      <PageHead title="Names" text="IPNS names: addresses that stay while their content changes.">
        {mayChange && (
          <Button
            leftSection={<IconPlus size={16} />}
            disabled={me.account.card === undefined}
            onClick={() => setIsCreating(true)}
          >
            New name
          </Button>
        )}
      </PageHead>
      {me.account.card === undefined ? (
        <Alert color="orange" title="Names need a billing card">
          Attach one on the page Billing.
        </Alert>
      ) : (
        <NameList />
      )}
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function NameList() {
  const names = useApi<{ readonly names: readonly NameRow[]; readonly count: number }>('names', { refreshMs: 15_000 });
  const [published, setPublished] = useState<NameRow>();
  const [doomed, setDoomed] = useState<NameRow>();
  const remove = useChange((name: string) => api(`names/${encodeURIComponent(name)}`, { method: 'DELETE' }), {
    done: 'Removed.',
  });
  return (
    <>
      <Answer query={names}>
        {({ names: rows }) =>
          rows.length === 0 ? (
            <Empty title="No names yet">Create a name, then publish a file or a folder under it.</Empty>
          ) : (
            <Stack>
              {rows.map((row) => (
                <NameCard
                  key={row.name}
                  row={row}
                  onPublish={() => setPublished(row)}
                  onRemove={() => setDoomed(row)}
                />
              ))}
            </Stack>
          )
        }
      </Answer>
      {published && <PublishDialog key={published.name} row={published} onClose={() => setPublished(undefined)} />}
      <Confirm
        title={`Remove the name ${doomed?.name ?? ''}?`}
        text="Its key is deleted. The address can never be changed again and ends with its last record."
        action="Remove it"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && remove.mutate(doomed.name)}
      />
    </>
  );
}

function NameCard({ row, onPublish, onRemove }: { row: NameRow; onPublish: () => void; onRemove: () => void }) {
  const address = `/ipns/${row.id}`;
  const mayChange = useRight('develop');
  return (
    <Card withBorder padding="md" component="section" aria-label={`Name ${row.name}`}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} miw={0}>
          <Text fw={600}>{row.name}</Text>
          <Group gap={4} wrap="nowrap">
            <Code title={address}>/ipns/{short(row.id)}</Code>
            <Copy value={address} label={`Copy the address of ${row.name}`} />
          </Group>
          {row.path === '' ? (
            <Text size="sm" c="dimmed">
              Not published.
            </Text>
          ) : (
            <Group gap={4} wrap="nowrap">
              <Text size="sm" title={row.path} truncate>
                Points to {short(row.path, 24)}
              </Text>
              <Copy value={row.path} label={`Copy the path of ${row.name}`} />
            </Group>
          )}
        </Stack>
        <Group gap="xs">
          {mayChange && (
            <Button variant="default" size="xs" leftSection={<IconUpload size={14} />} onClick={onPublish}>
              Publish
            </Button>
          )}
          {mayChange && row.name !== 'self' && (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              leftSection={<IconTrash size={14} />}
              onClick={onRemove}
              aria-label={`Remove ${row.name}`}
            >
              Remove
            </Button>
          )}
        </Group>
      </Group>
    </Card>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  return (
    <FieldDialog
      title="New name"
      action="Create"
      done="Created. Publish content under it."
      field={{
        label: 'Name of the key',
        description: 'For this account only. The address is derived from a new key.',
        placeholder: 'website',
        maxLength: 128,
      }}
      change={(name) => api('names', { method: 'POST', body: { name: name.trim() } })}
      onClose={onClose}
    />
  );
}

function PublishDialog({ row, onClose }: { row: NameRow; onClose: () => void }) {
  const publish = (target: string) => {
    const text = target.trim();
    const path = /^\/ip[fn]s\//.test(text) ? text : `/ipfs/${cidIn(text)}`;
    return api(`names/${encodeURIComponent(row.name)}/publish`, { method: 'POST', body: { path } });
  };
  return (
    <FieldDialog
      title={`Publish under ${row.name}`}
      action="Publish"
      done="Published."
      field={{
        label: 'CID or path',
        description: 'The address points to it until you publish another.',
        placeholder: '/ipfs/bafy…',
        maxLength: 4096,
      }}
      initial={row.path}
      change={publish}
      onClose={onClose}
    />
  );
}
