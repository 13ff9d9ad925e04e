import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { Failure } from '../parts.tsx';
import { useChange } from '../use-api.ts';
import { Entrance } from './entrance.tsx';
import { useMailToken } from './use-mail-token.ts';

/** Confirms an e-mail address. Needs a click, since mail scanners open links. */
export function VerifyEmailPage() {
  const token = useMailToken();
  const verify = useChange(
    () => api<{ readonly email: string }>('email-verification', { method: 'POST', body: { token } }),
    { isQuiet: true },
  );
  return (
    <Entrance
      title="Confirm your e-mail address"
      other={
        <Anchor component={Link} href="/" underline="always">
          Open the console
        </Anchor>
      }
    >
      {verify.isSuccess ? (
        <Text role="status">The address {verify.data.email} is confirmed.</Text>
      ) : (
        <Stack>
          {verify.error && <Failure error={verify.error} />}
          <Button loading={verify.isPending} onClick={() => verify.mutate(undefined)} fullWidth>
            Confirm the address
          </Button>
        </Stack>
      )}
    </Entrance>
  );
}
