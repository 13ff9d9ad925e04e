import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type ApiError, api } from '../api.ts';
import { Answer, Failure } from '../parts.tsx';
import { useChange } from '../use-api.ts';
import { Entrance } from './entrance.tsx';
import { roleTitles } from './members/roles.ts';
import { useMailToken } from './use-mail-token.ts';

interface Invitation {
  readonly email: string;
  readonly role: keyof typeof roleTitles;
  readonly accountName: string;
}

/** Form that accepts an invitation. */
export function JoinPage() {
  const token = useMailToken();
  const invitation = useQuery<Invitation, ApiError>({
    queryKey: ['join', token],
    queryFn: () => api<Invitation>('join', { method: 'POST', body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const form = useForm({ initialValues: { password: '' } });
  // Reloads, so that no data of an earlier session stays in memory.
  const join = useChange(
    async ({ password }: typeof form.values) => {
      await api('join/accept', { method: 'POST', body: { token, password } });
      location.assign('/');
    },
    { isQuiet: true },
  );
  return (
    <Entrance
      title="Join an account"
      other={
        <Anchor component={Link} href="/sign-in" underline="always">
          Sign in
        </Anchor>
      }
    >
      <Answer query={invitation}>
        {({ email, role, accountName }) => (
          <form onSubmit={form.onSubmit((values) => join.mutate(values))}>
            <Stack>
              <Text>
                You join the account <b>{accountName}</b> as <b>{email}</b>. Role:{' '}
                {roleTitles[role].title.toLowerCase()}.
              </Text>
              <PasswordInput
                label="Password"
                description="Ten characters or more. A few words are easy to remember."
                autoComplete="new-password"
                required
                {...form.getInputProps('password')}
              />
              {join.error && <Failure error={join.error} />}
              <Button type="submit" loading={join.isPending} fullWidth>
                Join
              </Button>
            </Stack>
          </form>
        )}
      </Answer>
    </Entrance>
  );
}
