import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { Failure, Section } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

/** E-mail address of the member, and a button that sends the link to verify it. */
export function EmailCard({ email, isVerified }: { email: string; isVerified: boolean }) {
  const ways = useApi<{ readonly hasMail: boolean }>('sign-in').data;
  const send = useChange(() => api('me/email-verification', { method: 'POST' }), {
    done: `A mail with a link is on its way to ${email}.`,
    isQuiet: true,
  });
  return (
    <Section title="E-mail address">
      <Stack>
        <Group>
          <Text size="sm" fw={500}>
            {email}
          </Text>
          <Badge color={isVerified ? 'teal' : 'orange'}>{isVerified ? 'Verified' : 'Not verified'}</Badge>
        </Group>
        {!isVerified && ways?.hasMail && (
          <>
            <Text size="sm" c="dimmed">
              Open the link in the mail to confirm that this address is yours.
            </Text>
            <Button variant="default" loading={send.isPending} onClick={() => send.mutate(undefined)}>
              Send the link
            </Button>
          </>
        )}
        {!isVerified && ways?.hasMail === false && (
          <Text size="sm" c="dimmed">
            This console sends no mail, so it cannot verify addresses.
          </Text>
        )}
        {send.error && <Failure error={send.error} />}
      </Stack>
    </Section>
  );
}
