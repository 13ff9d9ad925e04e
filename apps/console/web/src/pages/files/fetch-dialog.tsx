import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { FormDialog } from '../../form-dialog.tsx';
import { useChange } from '../../use-api.ts';
import { cidIn } from './cid-in.ts';

interface Wanted {
  readonly cid: string;
  readonly name: string;
  readonly origins: readonly string[];
}

/** Dialog that requests content by its CID. */
export function FetchDialog({ onClose }: { onClose: () => void }) {
  const [cid, setCid] = useState('');
  const [name, setName] = useState('');
  const [origins, setOrigins] = useState('');
  const fetchIt = useChange(
    async (wanted: Wanted) => {
      await api('pin-requests', { method: 'POST', body: wanted });
      onClose();
    },
    { done: 'The fetch has started.', isQuiet: true },
  );
  const send = () =>
    fetchIt.mutate({ cid: cidIn(cid), name: name.trim(), origins: origins.split(/\s+/).filter(Boolean) });
  return (
    <FormDialog
      title="Fetch by CID"
      action="Fetch and pin"
      isSending={fetchIt.isPending}
      isReady={cid.trim() !== ''}
      onSend={send}
      onClose={onClose}
    >
      <TextInput
        label="CID"
        description="A CID, or an address that contains one."
        placeholder="bafy…"
        data-autofocus
        required
        value={cid}
        maxLength={2000}
        error={fetchIt.error?.message}
        onChange={(event) => setCid(event.currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="Optional."
        value={name}
        maxLength={255}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Textarea
        label="Addresses of providers"
        description="Optional. Multiaddresses of nodes that have the content, one in each line."
        autosize
        minRows={2}
        maxRows={6}
        value={origins}
        onChange={(event) => setOrigins(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
