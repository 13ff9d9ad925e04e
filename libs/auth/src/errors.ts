import { CairnError } from '@cairn/errors';

export type AuthErrorCode =
  | 'CREDENTIALS_INVALID'
  | 'ACCOUNT_SUSPENDED'
  | 'BILLING_CARD_REQUIRED'
  | 'ACCOUNT_NOT_FOUND'
  | 'ACCOUNT_EXISTS'
  | 'KEY_NOT_FOUND'
  | 'KEY_EXISTS'
  | 'KEY_REVOKED'
  | 'KEY_SCOPE_MISSING'
  | 'CLIENT_NOT_ALLOWED'
  | 'ATTEMPTS_PAUSED'
  | 'MEMBER_EXISTS'
  | 'MEMBER_NOT_FOUND'
  | 'PASSWORD_WEAK'
  | 'SIGN_IN_FAILED'
  | 'SESSION_INVALID'
  | 'TOTP_REQUIRED'
  | 'TOTP_INVALID'
  | 'SECRETS_KEY_UNUSABLE'
  | 'TOKEN_INVALID'
  | 'OWNER_REQUIRED'
  | 'MEMBERS_FULL'
  | 'INVITATION_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'API_TOKEN_NOT_FOUND'
  | 'API_TOKENS_FULL'
  | 'IDENTITY_REFUSED'
  | 'PASSKEY_REFUSED'
  | 'PASSKEY_NOT_FOUND'
  | 'PASSKEYS_FULL'
  | 'LINK_INVALID'
  | 'GATEWAY_HOST_EXISTS'
  | 'GATEWAY_HOST_NOT_FOUND'
  | 'VALUE_INVALID';

/** Error of an account, key or member. Key ids and secrets never enter its message or details. */
export class AuthError<Code extends AuthErrorCode = AuthErrorCode> extends CairnError<Code> {}

/** Creates the same error for an unknown, revoked or expired key and a wrong secret, so that callers cannot tell them apart. */
export function credentialsInvalid(): AuthError {
  return new AuthError('CREDENTIALS_INVALID', 'The API key or its secret is not valid.', {
    hint: 'Check both, or create a new key in the console.',
  });
}

export function accountNotFound(idOrName: string): AuthError {
  return new AuthError('ACCOUNT_NOT_FOUND', `There is no account ${JSON.stringify(idOrName.slice(0, 100))}.`, {
    hint: 'List the accounts with `cairn account list`.',
  });
}

export function accountExists(name: string): AuthError {
  return new AuthError('ACCOUNT_EXISTS', `An account named ${JSON.stringify(name)} already exists.`, {
    hint: 'Choose another name.',
  });
}

/** The message omits the id, since a key id alone grants JSON-RPC access. */
export function keyNotFound(): AuthError {
  return new AuthError('KEY_NOT_FOUND', 'There is no key of that id.', {
    hint: 'List the keys of an account with `cairn key list <account>`.',
  });
}

/** The message omits the id, since a key id alone grants JSON-RPC access. */
export function keyExists(): AuthError {
  return new AuthError('KEY_EXISTS', 'A key with this id already exists.', {
    hint: 'Choose another id, or rotate the existing key.',
  });
}

export function memberNotFound(): AuthError {
  return new AuthError('MEMBER_NOT_FOUND', 'There is no such member.', {
    hint: 'List the members with `cairn member list`.',
  });
}

export function memberExists(): AuthError {
  return new AuthError('MEMBER_EXISTS', 'A member with this e-mail address already exists.', {
    hint: 'Sign in, or use another address.',
  });
}

export function tokenInvalid(): AuthError {
  return new AuthError(
    'TOKEN_INVALID',
    'The link is not valid: it was used, has expired, or a newer one replaced it.',
    {
      hint: 'Request a new link.',
    },
  );
}

export function accountSuspended(): AuthError {
  return new AuthError('ACCOUNT_SUSPENDED', 'The account is suspended.', {
    hint: 'Ask the operator of this service.',
  });
}
