import { ApiError } from '../../api.ts';

const texts: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The browser did not use a passkey: it was cancelled, took too long, or there is none for this site.',
  InvalidStateError: 'This device already has a passkey for this account.',
  SecurityError: 'Passkeys need a host name such as localhost, not an IP address, and https except on this machine.',
};

/** Replaces an error of the browser by one that says what to do. @throws ApiError */
export function passkeyFault(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  // The library names some errors itself and keeps the error of the browser as cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : '';
  const message = texts[cause] ?? texts[name] ?? 'The browser could not use a passkey.';
  throw new ApiError(400, { code: 'PASSKEY_UNUSABLE', message });
}
