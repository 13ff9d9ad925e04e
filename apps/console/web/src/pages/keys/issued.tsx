import { Alert, Stack, TextInput } from '@mantine/core';
import type { IssuedKey, Me } from '../../api.ts';
import { ConnectPanel } from '../../connect/connect-panel.tsx';
import { Copy } from '../../parts.tsx';

/** The secret of a new key, shown once, with example code. */
export function Issued({ me, issued: { key, secret } }: { me: Me; issued: IssuedKey }) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy the secret now">
        It cannot be shown again. If you lose it, create a new secret for the key.
      </Alert>
      <TextInput label="Key" value={key.id} readOnly rightSection={<Copy value={key.id} label="Copy the key" />} />
      <TextInput
        label="Secret"
        value={secret}
        readOnly
        rightSection={<Copy value={secret} label="Copy the secret" />}
      />
      {me.account.card === undefined && (
        <Alert color="orange" title="Storage needs a billing card">
          JSON-RPC works with this key now. For storage, attach a card under Billing.
        </Alert>
      )}
      <ConnectPanel me={me} keys={[key]} secret={secret} />
    </Stack>
  );
}
