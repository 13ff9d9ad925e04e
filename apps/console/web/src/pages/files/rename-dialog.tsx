import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useChange } from '../../use-api.ts';
import type { FileRow } from './file-row.ts';

/** Dialog that renames a pin. */
export function RenameDialog({ row, onClose }: { row: Pick<FileRow, 'cid' | 'name'>; onClose: () => void }) {
  const [name, setName] = useState(row.name);
  const rename = useChange(
    async (wanted: string) => {
      await api(`files/${row.cid}`, { method: 'PATCH', body: { name: wanted } });
      onClose();
    },
    { done: 'Renamed.', isQuiet: true },
  );
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    rename.mutate(name);
  };
  return (
    <Modal opened onClose={onClose} title="Rename" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="Content and CID do not change."
            data-autofocus
            value={name}
            maxLength={255}
            error={rename.error?.message}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending} disabled={name.trim() === ''}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
