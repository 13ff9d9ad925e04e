import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { Failure } from '../parts.tsx';
import { useChange } from '../use-api.ts';
import { Entrance } from './entrance.tsx';
import { useMailToken } from './use-mail-token.ts';

const toSignIn = (
  <Anchor component={Link} href="/sign-in" underline="always">
    Sign in
  </Anchor>
);

/** Form that requests a link to set a new password. */
export function ForgotPasswordPage() {
  const form = useForm({ initialValues: { email: '' } });
  const send = useChange((values: typeof form.values) => api('password-reset', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  return (
    <Entrance title="Forgot your password?" other={toSignIn}>
      {send.isSuccess ? (
        <Text role="status">
          A link is on its way, if {form.values.email} has an account. It works for one hour. Look into the spam folder
          too.
        </Text>
      ) : (
        <form onSubmit={form.onSubmit((values) => send.mutate(values))}>
          <Stack>
            <TextInput
              label="E-mail"
              description="A link to set a new password is sent to this address."
              type="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
            {send.error && <Failure error={send.error} />}
            <Button type="submit" loading={send.isPending} fullWidth>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  );
}

/** Form that sets a new password with the token of a link. */
export function ResetPasswordPage() {
  const token = useMailToken();
  const form = useForm({ initialValues: { password: '' } });
  const reset = useChange(
    ({ password }: typeof form.values) =>
      api<{ readonly email: string }>('password-reset/confirm', { method: 'POST', body: { token, password } }),
    { isQuiet: true },
  );
  return (
    <Entrance title="Set a new password" other={toSignIn}>
      {reset.isSuccess ? (
        <Text role="status">The password of {reset.data.email} is changed, and all sessions have ended.</Text>
      ) : (
        <form onSubmit={form.onSubmit((values) => reset.mutate(values))}>
          <Stack>
            <PasswordInput
              label="New password"
              description="Ten characters or more. A few words are easy to remember."
              autoComplete="new-password"
              required
              {...form.getInputProps('password')}
            />
            {reset.error && <Failure error={reset.error} />}
            {reset.error?.code === 'TOKEN_INVALID' && (
              <Anchor component={Link} href="/forgot-password" underline="always">
                Request a new link
              </Anchor>
            )}
            <Button type="submit" loading={reset.isPending} fullWidth>
              Set the password
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  );
}
