import { Button, Group, Image, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api, type Me } from '../api.ts';
import { Copy, Failure, PageHead, Section } from '../parts.tsx';
import { useChange } from '../use-api.ts';
import { EmailCard } from './security/email-card.tsx';
import { PasskeysCard } from './security/passkeys-card.tsx';
import { SessionsCard } from './security/sessions-card.tsx';
import { TokensCard } from './security/tokens-card.tsx';

/** Sign-in of the member: password, second factor, sessions, API tokens, address. */
export function SecurityPage({ me }: { me: Me }) {
  return (
    <>
      <PageHead title="Security" text={me.member.email} />
      <SimpleGrid cols={{ base: 1, md: 2 }} className="align-start shrinking">
        <Stack>
          <PasswordCard />
          <PasskeysCard />
          <TokensCard />
        </Stack>
        <Stack>
          <TotpCard hasTotp={me.member.hasTotp} />
          <EmailCard email={me.member.email} isVerified={me.member.hasVerifiedEmail} />
          <SessionsCard />
        </Stack>
      </SimpleGrid>
    </>
  );
}

function PasswordCard() {
  const form = useForm({ initialValues: { before: '', after: '' } });
  const change = useChange((values: typeof form.values) => api('me/password', { method: 'POST', body: values }), {
    done: 'Password changed. All other sessions have ended.',
    isQuiet: true,
  });
  return (
    <Section title="Password">
      <form onSubmit={form.onSubmit((values) => change.mutate(values, { onSuccess: () => form.reset() }))}>
        <Stack>
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            {...form.getInputProps('before')}
          />
          <PasswordInput label="New password" autoComplete="new-password" required {...form.getInputProps('after')} />
          {change.error && <Failure error={change.error} />}
          <Button type="submit" loading={change.isPending}>
            Change
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

interface Setup {
  readonly secret: string;
  readonly svg: string;
}

function TotpCard({ hasTotp }: { hasTotp: boolean }) {
  const [setup, setSetup] = useState<Setup>();
  const form = useForm({ initialValues: { code: '' } });
  const begin = useChange(() => api<Setup>('me/totp', { method: 'POST' }));
  const finish = useChange(
    ({ code }: typeof form.values) =>
      hasTotp
        ? api('me/totp', { method: 'DELETE', body: { code } })
        : api('me/totp/confirm', { method: 'POST', body: { code } }),
    { done: hasTotp ? 'The second factor is off.' : 'The second factor is on.', isQuiet: true },
  );
  return (
    <Section title="Second factor">
      <Stack>
        <Text size="sm" c="dimmed">
          {hasTotp
            ? 'Sign-in requires a code of your authenticator app.'
            : 'With an authenticator app, a stolen password alone does not give access.'}
        </Text>
        {!hasTotp && setup === undefined && (
          <Button
            variant="default"
            loading={begin.isPending}
            onClick={() => begin.mutate(undefined, { onSuccess: setSetup })}
          >
            Set it up
          </Button>
        )}
        {setup !== undefined && !hasTotp && (
          <Group align="flex-start">
            <Image
              src={`data:image/svg+xml,${encodeURIComponent(setup.svg)}`}
              w={180}
              h={180}
              alt="QR code to scan with the app"
              bg="white"
            />
            <div>
              <Text size="sm">Scan the code, or type the secret:</Text>
              <Group gap={4}>
                <Text size="sm" ff="monospace">
                  {setup.secret}
                </Text>
                <Copy value={setup.secret} label="Copy the secret of the second factor" />
              </Group>
            </div>
          </Group>
        )}
        {(hasTotp || setup !== undefined) && (
          <form
            onSubmit={form.onSubmit((values) =>
              finish.mutate(values, {
                onSuccess: () => {
                  form.reset();
                  setSetup(undefined);
                },
              }),
            )}
          >
            <Group align="flex-end">
              <TextInput
                label="Code"
                inputMode="numeric"
                autoComplete="one-time-code"
                required
                {...form.getInputProps('code')}
              />
              <Button type="submit" loading={finish.isPending} color={hasTotp ? 'red' : undefined}>
                {hasTotp ? 'Turn it off' : 'Turn it on'}
              </Button>
            </Group>
          </form>
        )}
        {finish.error && <Failure error={finish.error} />}
      </Stack>
    </Section>
  );
}
