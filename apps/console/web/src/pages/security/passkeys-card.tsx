import { Button, Stack, Text, TextInput } from '@mantine/core';
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  startRegistration,
} from '@simplewebauthn/browser';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { FormDialog } from '../../form-dialog.tsx';
import { ago } from '../../format.ts';
import { Failure, Section } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';
import { browserOf } from './browser-of.ts';
import { CredentialList } from './credential-list.tsx';
import { passkeyFault } from './passkey-fault.ts';

interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt?: number;
}

/** Passkeys of the member: sign-in with the fingerprint, face or PIN of a device. */
export function PasskeysCard() {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Section
      title="Passkeys"
      actions={
        <Button
          size="xs"
          leftSection={<IconFingerprint size={14} />}
          disabled={!browserSupportsWebAuthn()}
          onClick={() => setIsAdding(true)}
        >
          Add a passkey
        </Button>
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A passkey signs in with the fingerprint, face or PIN of a device, without password and code. No other site can
          use it.
        </Text>
        <CredentialList<PasskeyRow>
          path="me/passkeys"
          verb="Remove"
          noun="passkey"
          consequence="It does not sign in any more. Delete it on the device too."
          done="Passkey removed."
          details={({ createdAt, usedAt }) =>
            `Added ${ago(createdAt)}, ${usedAt === undefined ? 'never used' : `used ${ago(usedAt)}`}`
          }
        />
      </Stack>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(browserOf(navigator.userAgent));
  const add = useChange(
    async (wanted: string) => {
      const optionsJSON = await api<PublicKeyCredentialCreationOptionsJSON>('me/passkeys/options', { method: 'POST' });
      const response = await startRegistration({ optionsJSON }).catch(passkeyFault);
      await api('me/passkeys', { method: 'POST', body: { name: wanted, response } });
      onClose();
    },
    { done: 'Passkey added. You can sign in with it.', isQuiet: true },
  );
  return (
    <FormDialog
      title="Add a passkey"
      action="Add"
      isSending={add.isPending}
      isReady={name.trim() !== ''}
      onSend={() => add.mutate(name.trim())}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The browser asks next where to keep the passkey."
        maxLength={64}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {add.error && <Failure error={add.error} />}
    </FormDialog>
  );
}
