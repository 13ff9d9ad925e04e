import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { ago } from '../../format.ts';
import { Answer, Section } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';
import { browserOf } from './browser-of.ts';

interface SessionRow {
  readonly id: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly address?: string;
  readonly agent?: string;
  readonly isMine: boolean;
}

/** Open sessions of the member, with buttons to end them. */
export function SessionsCard() {
  const sessions = useApi<SessionRow[]>('me/sessions', { refreshMs: 15_000 });
  const end = useChange((id: string) => api(`me/sessions/${id}`, { method: 'DELETE' }), { done: 'Session ended.' });
  const endOthers = useChange(() => api('me/sessions', { method: 'DELETE' }), {
    done: 'All other sessions have ended.',
  });
  return (
    <Section title="Sessions">
      <Answer query={sessions}>
        {(list) => (
          <Stack gap="sm">
            {list.map(({ id, agent, address, createdAt, usedAt, isMine }) => (
              <Group key={id} justify="space-between" wrap="nowrap" align="flex-start">
                <div>
                  <Group gap={6}>
                    <Text size="sm" fw={500}>
                      {browserOf(agent)}
                    </Text>
                    {isMine && <Badge>This one</Badge>}
                  </Group>
                  <Text size="sm" c="dimmed" className="wrap-anywhere">
                    {address ?? 'unknown address'}, signed in {ago(createdAt)}, used {ago(usedAt)}
                  </Text>
                </div>
                {!isMine && (
                  <Button
                    size="xs"
                    variant="default"
                    flex="none"
                    aria-label={`End the session of ${browserOf(agent)}`}
                    onClick={() => end.mutate(id)}
                  >
                    End
                  </Button>
                )}
              </Group>
            ))}
            {list.length > 1 && (
              <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
                End all others
              </Button>
            )}
          </Stack>
        )}
      </Answer>
    </Section>
  );
}
