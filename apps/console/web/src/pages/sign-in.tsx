import { Anchor, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { Failure, titleOf } from '../parts.tsx';
import { useChange } from '../use-api.ts';

function Frame({ title, children, other }: { title: string; children: ReactNode; other: ReactNode }) {
  useDocumentTitle(titleOf(title));
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w={400} maw="100%" shadow="sm">
        <Stack>
          <div>
            <Text fw={700} c="dimmed">
              Cairn
            </Text>
            <Title order={1} size="h2">
              {title}
            </Title>
          </div>
          {children}
          <Text size="sm" c="dimmed">
            {other}
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}

/** Sign-in form. Asks for a code if the member has a second factor. */
export function SignInPage() {
  const form = useForm({ initialValues: { email: '', password: '', code: '' } });
  const signIn = useChange((values: typeof form.values) => api('sign-in', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  const asksForCode = signIn.error?.code === 'TOTP_REQUIRED' || signIn.error?.code === 'TOTP_INVALID';
  return (
    <Frame
      title="Sign in"
      other={
        <>
          No account yet?{' '}
          <Anchor component={Link} href="/sign-up" underline="always">
            Sign up
          </Anchor>
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <Stack>
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          {asksForCode && (
            <TextInput
              label="Code of your authenticator app"
              inputMode="numeric"
              autoComplete="one-time-code"
              autoFocus
              required
              {...form.getInputProps('code')}
            />
          )}
          {signIn.error && signIn.error.code !== 'TOTP_REQUIRED' && <Failure error={signIn.error} />}
          <Button type="submit" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}

/** Sign-up form: a new account and its first member. */
export function SignUpPage() {
  const form = useForm({ initialValues: { accountName: '', email: '', password: '' } });
  const signUp = useChange((values: typeof form.values) => api('sign-up', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  return (
    <Frame
      title="Create an account"
      other={
        <>
          You have one?{' '}
          <Anchor component={Link} href="/sign-in" underline="always">
            Sign in
          </Anchor>
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => signUp.mutate(values))}>
        <Stack>
          <TextInput label="Account name" autoComplete="organization" required {...form.getInputProps('accountName')} />
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="Ten characters or more. A few words are easy to remember."
            autoComplete="new-password"
            required
            {...form.getInputProps('password')}
          />
          {signUp.error && <Failure error={signUp.error} />}
          <Button type="submit" loading={signUp.isPending} fullWidth>
            Sign up
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
