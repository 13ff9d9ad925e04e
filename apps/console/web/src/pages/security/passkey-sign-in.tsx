import { Button } from '@mantine/core';
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from '@simplewebauthn/browser';
import { IconFingerprint } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { Failure } from '../../parts.tsx';
import { useChange } from '../../use-api.ts';
import { passkeyFault } from './passkey-fault.ts';

/** Button of the sign-in page: the browser offers the passkeys of this site. */
export function PasskeySignIn() {
  const signIn = useChange(
    async () => {
      const optionsJSON = await api<PublicKeyCredentialRequestOptionsJSON>('passkeys/options', { method: 'POST' });
      const response = await startAuthentication({ optionsJSON }).catch(passkeyFault);
      await api('passkeys/sign-in', { method: 'POST', body: { response } });
    },
    { isQuiet: true },
  );
  if (!browserSupportsWebAuthn()) return null;
  return (
    <>
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={16} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate(undefined)}
      >
        Use a passkey
      </Button>
      {signIn.error && <Failure error={signIn.error} />}
    </>
  );
}
