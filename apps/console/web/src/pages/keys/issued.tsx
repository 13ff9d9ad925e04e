import { Alert, Stack, Tabs, TextInput } from '@mantine/core';
import type { IssuedKey, Me } from '../../api.ts';
import { Copy, Snippet } from '../../parts.tsx';
import { snippetsOf } from '../../snippets.ts';

/** The secret of a new key, shown once, with example code. */
export function Issued({ me, issued: { key, secret } }: { me: Me; issued: IssuedKey }) {
  const snippets = snippetsOf(me, key.id, secret);
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
      <Tabs defaultValue="curl">
        <Tabs.List>
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Snippet code={code} label={`Copy for ${name}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
