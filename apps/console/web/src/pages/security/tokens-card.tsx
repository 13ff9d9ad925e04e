import { Alert, Badge, Button, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { FormDialog } from '../../form-dialog.tsx';
import { ago, time } from '../../format.ts';
import { Failure, Section, Snippet } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';
import { CredentialList } from './credential-list.tsx';

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface NewToken {
  readonly token: TokenRow;
  readonly text: string;
}

/** API tokens of the member: programs use the API of the console with them. */
export function TokensCard() {
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<NewToken>();
  return (
    <Section
      title="API tokens"
      actions={
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setIsCreating(true)}>
          New token
        </Button>
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Programs use the API of this console with a token, with at most your rights. A token works until it expires or
          is revoked, also after a change of the password.
        </Text>
        {made && (
          <Alert color="teal" title={`The token ${made.token.name} is shown once`}>
            <Stack gap="xs">
              <Snippet code={made.text} label="Copy the token" />
              <Snippet
                code={`curl -H "Authorization: Bearer $CAIRN_TOKEN" ${location.origin}/api/me`}
                label="Copy the example"
              />
            </Stack>
          </Alert>
        )}
        <CredentialList<TokenRow>
          path="me/tokens"
          verb="Revoke"
          noun="token"
          consequence="Programs that use it are refused immediately."
          done="Revoked. Requests with this token are refused now."
          badge={({ isReadOnly }) => (
            <Badge color={isReadOnly ? 'gray' : 'orange'}>{isReadOnly ? 'Reads' : 'Reads and changes'}</Badge>
          )}
          details={({ createdAt, expiresAt }) => `Created ${ago(createdAt)}, works until ${time(expiresAt)}`}
        />
      </Stack>
      {isCreating && (
        <TokenDialog
          onClose={() => setIsCreating(false)}
          onMade={(token) => {
            setIsCreating(false);
            setMade(token);
          }}
        />
      )}
    </Section>
  );
}

function TokenDialog({ onClose, onMade }: { onClose: () => void; onMade: (token: NewToken) => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<number | string>(90);
  const [isReadOnly, setIsReadOnly] = useState(true);
  const create = useChange((body: object) => api<NewToken>('me/tokens', { method: 'POST', body }).then(onMade), {
    isQuiet: true,
  });
  return (
    <FormDialog
      title="New API token"
      action="Create"
      isSending={create.isPending}
      isReady={name.trim() !== '' && days !== ''}
      onSend={() => create.mutate({ name: name.trim(), days: Number(days), isReadOnly })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        placeholder="monthly report"
        maxLength={64}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NumberInput
        label="Days until it expires"
        min={1}
        max={366}
        allowDecimal={false}
        value={days}
        onChange={setDays}
      />
      <Switch
        label="Only reads"
        checked={isReadOnly}
        onChange={(event) => setIsReadOnly(event.currentTarget.checked)}
      />
      {create.error && <Failure error={create.error} />}
    </FormDialog>
  );
}
