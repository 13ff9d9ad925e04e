import { Alert, Badge, Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { FormDialog } from '../../form-dialog.tsx';
import { ago, time } from '../../format.ts';
import { Answer, Confirm, Failure, Section, Snippet } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

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
  const tokens = useApi<TokenRow[]>('me/tokens');
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<NewToken>();
  const [doomed, setDoomed] = useState<TokenRow>();
  const revoke = useChange((id: string) => api(`me/tokens/${id}`, { method: 'DELETE' }), {
    done: 'Revoked. Requests with this token are refused now.',
  });
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
        <Answer query={tokens}>
          {(list) => (
            <>
              {list.map((token) => (
                <Group key={token.id} justify="space-between" wrap="nowrap" align="flex-start">
                  <div>
                    <Group gap={6}>
                      <Text size="sm" fw={500}>
                        {token.name}
                      </Text>
                      <Badge color={token.isReadOnly ? 'gray' : 'orange'}>
                        {token.isReadOnly ? 'Reads' : 'Reads and changes'}
                      </Badge>
                    </Group>
                    <Text size="sm" c="dimmed">
                      Created {ago(token.createdAt)}, works until {time(token.expiresAt)}
                    </Text>
                  </div>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    flex="none"
                    aria-label={`Revoke the token ${token.name}`}
                    onClick={() => setDoomed(token)}
                  >
                    Revoke
                  </Button>
                </Group>
              ))}
            </>
          )}
        </Answer>
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
      <Confirm
        title={`Revoke the token ${doomed?.name}?`}
        text="Programs that use it are refused immediately."
        action="Revoke the token"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && revoke.mutate(doomed.id)}
      />
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
