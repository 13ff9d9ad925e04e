export type { Account, ApiKey, BillingCard, Principal, StoredSecret } from './account.ts';
export type { AccountStore } from './account-store.ts';
export { Auth, type AuthOptions, type IssuedKey } from './auth.ts';
export { parseBasicCredentials } from './basic-credentials.ts';
export { AuthError, type AuthErrorCode } from './errors.ts';
export { openLmdbAccountStore } from './lmdb-account-store.ts';
export { generateKeyId, generateSecret, hasValidChecksum, keyIdPattern, secretPattern } from './tokens.ts';
