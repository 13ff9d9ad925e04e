import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { Failure } from '../parts.tsx';
import { useApi, useChange } from '../use-api.ts';
import { Entrance } from './entrance.tsx';

/** Ways to sign in and to get an account. */
interface Ways {
  readonly hasSignUp: boolean;
  readonly hasMail: boolean;
}

/** Sign-in form. Asks for a code if the member has a second factor. */
export function SignInPage() {
  const form = useForm({ initialValues: { email: '', password: '', code: '' } });
  const signIn = useChange((values: typeof form.values) => api('sign-in', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  const ways = useApi<Ways>('sign-in').data;
  const asksForCode = signIn.error?.code === 'TOTP_REQUIRED' || signIn.error?.code === 'TOTP_INVALID';
  return (
    <Entrance
      title="Sign in"
      other={
        <>
          {ways?.hasSignUp && (
            <>
              No account yet?{' '}
              <Anchor component={Link} href="/sign-up" underline="always">
                Sign up
              </Anchor>
            </>
          )}
          {ways?.hasSignUp === false && 'The operator of this service creates accounts.'}
          {ways?.hasMail && (
            <>
              <br />
              <Anchor component={Link} href="/forgot-password" underline="always">
                Forgot your password?
              </Anchor>
            </>
          )}
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
    </Entrance>
  );
}

/** Sign-up form: a new account and its first member. */
export function SignUpPage() {
  const form = useForm({ initialValues: { accountName: '', email: '', password: '' } });
  const signUp = useChange((values: typeof form.values) => api('sign-up', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  return (
    <Entrance
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
    </Entrance>
  );
}
