import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { count, time } from '../../format.ts';
import { Answer, Confirm, Snippet } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

interface Webhook {
  readonly url: string;
  readonly created: string;
  readonly waiting: number;
  readonly secret?: string;
}

/** The webhook that reports the results of fetches. */
export function WebhookCard() {
  const webhook = useApi<{ readonly webhook: Webhook | null }>('webhook');
  return (
    <Card withBorder padding="lg" component="section" aria-label="Webhook">
      <Title order={2} size="h4">
        Webhook
      </Title>
      <Text size="sm" mb="xs">
        Receives a signed message when the status of a fetch changes, and usage alerts if you choose them.
      </Text>
      <Answer query={webhook}>{({ webhook: known }) => <WebhookForm known={known} />}</Answer>
    </Card>
  );
}

function WebhookForm({ known }: { known: Webhook | null }) {
  const [url, setUrl] = useState(known?.url ?? '');
  const [isRemoving, setIsRemoving] = useState(false);
  const save = useChange<string, Webhook>((wanted) => api('webhook', { method: 'PUT', body: { url: wanted } }), {
    isQuiet: true,
  });
  const remove = useChange(() => api('webhook', { method: 'DELETE' }), { done: 'Removed.' });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate(url.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group align="flex-end" wrap="wrap">
          <TextInput
            flex={1}
            miw={220}
            label="URL"
            placeholder="https://service.example/hook"
            value={url}
            maxLength={2048}
            error={save.error?.message}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={save.isPending} disabled={url.trim() === ''}>
            {known === null ? 'Create' : 'Replace'}
          </Button>
          {known !== null && (
            <Button variant="subtle" color="red" onClick={() => setIsRemoving(true)}>
              Remove the webhook
            </Button>
          )}
        </Group>
        {known !== null && (
          <Text size="sm" c="dimmed">
            Created {time(Date.parse(known.created))}. {count(known.waiting)} waiting.
          </Text>
        )}
        {save.data?.secret !== undefined && (
          <>
            <Text size="sm">The secret that signs messages is shown once:</Text>
            <Snippet code={save.data.secret} label="Copy the secret of the webhook" />
          </>
        )}
      </Stack>
      <Confirm
        title="Remove the webhook?"
        text="Messages that wait are not delivered."
        action="Remove it"
        isOpen={isRemoving}
        onClose={() => setIsRemoving(false)}
        onConfirm={() => remove.mutate(undefined)}
      />
    </form>
  );
}
