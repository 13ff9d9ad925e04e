import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiKey, IssuedKey, Me } from '../api.ts';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { Answer, Empty, PageHead } from '../parts.tsx';
import { useApi, useRight } from '../use-api.ts';
import { Issued } from './keys/issued.tsx';
import { KeyForm, LimitForm } from './keys/key-form.tsx';
import { KeyTable } from './keys/key-table.tsx';

/** Keys of the account: create, limit, rotate, revoke. */
export function KeysPage({ me }: { me: Me }) {
  const keys = useApi<ApiKey[]>('keys', { refreshMs: 10_000 });
  const mayChange = useRight('develop');
  const [isOpen, { open, close }] = useDisclosure(false);
  const [issued, setIssued] = useState<IssuedKey>();
  const [edited, setEdited] = useState<ApiKey>();
  const [connected, setConnected] = useState<ApiKey>();
  return (
    <>
      <PageHead
        title="API keys"
        text="Storage uses the key as user name and its secret as password. JSON-RPC uses the key in the URL."
      >
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={open}>
            Create a key
          </Button>
        )}
      </PageHead>
      <Answer query={keys}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No keys yet">Create a key. Its secret is shown once, with example code.</Empty>
          ) : (
            <KeyTable keys={list} onIssued={setIssued} onEdit={setEdited} onConnect={setConnected} />
          )
        }
      </Answer>
      <Modal opened={isOpen} onClose={close} title="Create a key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <KeyForm
          me={me}
          onIssued={(made) => {
            close();
            setIssued(made);
          }}
        />
      </Modal>
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={`Limits of ${edited?.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {edited && <LimitForm me={me} edited={edited} onDone={() => setEdited(undefined)} />}
      </Modal>
      <Modal
        opened={connected !== undefined}
        onClose={() => setConnected(undefined)}
        title={`Connect with ${connected?.name}`}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {connected && <ConnectPanel me={me} keys={[connected]} />}
      </Modal>
      {/* The secret cannot be shown again: neither Escape nor a click beside the dialog closes it. */}
      <Modal
        opened={issued !== undefined}
        onClose={() => setIssued(undefined)}
        title="Your key"
        size="xl"
        closeOnEscape={false}
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        {issued && (
          <Stack>
            <Issued me={me} issued={issued} />
            <Group justify="flex-end">
              <Button onClick={() => setIssued(undefined)}>I have copied the secret</Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
