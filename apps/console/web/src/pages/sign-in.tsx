import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useSearchParams } from 'wouter';
import { api } from '../api.ts';
import { Failure } from '../parts.tsx';
import { useApi, useChange } from '../use-api.ts';
import { Entrance } from './entrance.tsx';
import { PasskeySignIn } from './security/passkey-sign-in.tsx';

/** Ways to sign in and to get an account. */
interface Ways {
  readonly hasSignUp: boolean;
  readonly hasMail: boolean;
  /** Name of the OpenID provider. */
  readonly provider?: string;
}

/** Refusals of the provider or of the console, as the address of the page names them. */
const refusals: Readonly<Record<string, string>> = {
  'unverified there': 'The provider has not verified your e-mail address. Verify it there, then sign in again.',
  'unverified here':
    'There is a member with your e-mail address, but the address was never verified here. Sign in with the password and verify it, or set a new password by mail.',
  'no account': 'You have no account here, and sign-up is closed. Ask the operator of this service.',
  refused: 'The sign-in with the provider was refused or has expired. Try again.',
  unavailable: 'The provider cannot be reached. Try again in a moment.',
};

/** Sign-in form. Asks for a code if the member has a second factor. */
export function SignInPage() {
  const form = useForm({ initialValues: { email: '', password: '', code: '' } });
  const signIn = useChange((values: typeof form.values) => api('sign-in', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  const ways = useApi<Ways>('sign-in').data;
  const [search] = useSearchParams();
  const refusal = refusals[search.get('refused') ?? ''];
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
          {refusal !== undefined && signIn.error === null && <Failure error={{ message: refusal }} />}
          <Button type="submit" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
          <Divider label="or" />
          <PasskeySignIn />
          <Provider name={ways?.provider} />
        </Stack>
      </form>
    </Entrance>
  );
}

/** Button that leads to the OpenID provider. */
function Provider({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <Button component="a" href="/api/oidc" variant="default" fullWidth>
      Continue with {name}
    </Button>
  );
}

/** Sign-up form: a new account and its first member. */
export function SignUpPage() {
  const form = useForm({ initialValues: { accountName: '', email: '', password: '' } });
  const signUp = useChange((values: typeof form.values) => api('sign-up', { method: 'POST', body: values }), {
    isQuiet: true,
  });
  const ways = useApi<Ways>('sign-in').data;
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
          {ways?.provider !== undefined && <Divider label="or" />}
          <Provider name={ways?.provider} />
        </Stack>
      </form>
    </Entrance>
  );
}
