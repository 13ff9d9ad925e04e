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
  | 'VALUE_INVALID';

/** Something about an account or its keys. Neither keys nor secrets are ever in its message or details. */
export class AuthError<Code extends AuthErrorCode = AuthErrorCode> extends CairnError<Code> {}

/** One answer for an unknown key, a wrong secret, a revoked and an expired key: which of them it was stays here. */
export function credentialsInvalid(): AuthError {
  return new AuthError('CREDENTIALS_INVALID', 'The API key or its secret is not valid.', {
    hint: 'Check both, or create a new key in the console.',
  });
}
