export type { Account, ApiKey, BillingCard, Principal, StoredSecret, UsageAlerts } from './account.ts';
export { AccountAlerts, type AlertSettings, accountAlertLimits } from './account-alerts.ts';
export type { AccountChanges } from './account-changes.ts';
export type { AccountFeed, AccountFeedListener, FeedKind } from './account-feed.ts';
export type { AccountStore, AccountUpdate } from './account-store.ts';
export { accountsFormat } from './accounts-format.ts';
export type { Actor, AuditEntry } from './audit.ts';
export { Auth } from './auth.ts';
export type { AccountOptions, AuthOptions, IssuedKey, KeyOptions } from './auth-types.ts';
export { type BasicCredentials, parseBasicCredentials } from './basic-credentials.ts';
export { parseBearerCredentials } from './bearer-credentials.ts';
export { type ContentLink, contentLinkMsMax } from './content-links.ts';
export { type CopiedAccounts, copyAccountsToLmdb } from './copy-accounts-to-lmdb.ts';
export { type DelegationPayer, delegationMs } from './delegation.ts';
export { AuthError, type AuthErrorCode } from './errors.ts';
export { attemptsPaused, type FailureChange, FailureGate, type FailureGateOptions } from './failure-gate.ts';
export {
  type GatewayHost,
  type GatewayHostStore,
  gatewayHostsMax,
  openLmdbGatewayHostStore,
  parseGatewayHost,
} from './gateway-hosts.ts';
export {
  type Client,
  type KeyGrant,
  type KeyPolicy,
  keyGrants,
  parseKeyPolicy,
  policyEntriesMax,
  requireAllContracts,
  requireClient,
  requireContracts,
  requireGrant,
  requireMethod,
  requireNetwork,
  requireStorage,
  type StorageScope,
  storageScopes,
} from './key-policy.ts';
export { type KnownAccountsOptions, openKnownAccounts } from './known-accounts.ts';
export { openLmdbAccountStore } from './lmdb-account-store.ts';
export { AccountMembers, accountMemberLimits, type Invitation } from './members/account-members.ts';
export { AccountViews, accountViewMs } from './members/account-views.ts';
export { type ApiToken, ApiTokens, apiTokenLimits, apiTokenPrefix } from './members/api-tokens.ts';
export { Identities, type IdentityClaims } from './members/identities.ts';
export { emailVerificationMs, MailboxProofs, passwordResetMs, type SentProof } from './members/mailbox-proofs.ts';
export type { AccountView, Member, MemberRole, Passkey, Session, SessionClient } from './members/member.ts';
export { type AccountRole, accountRoles } from './members/member.ts';
export type { MemberChange, MemberStore } from './members/member-store.ts';
export { type MemberToken, type MemberTokenKind, memberTokenId, newMemberToken } from './members/member-token.ts';
export type { MemberTokenStore } from './members/member-token-store.ts';
export {
  type Credentials,
  Members,
  type MembersOptions,
  type SignedIn,
} from './members/members.ts';
export { Sessions, sessionIdleMs, sessionMsMax } from './members/sessions.ts';
export { localSignInAttempts, type SignInAttempt, type SignInAttempts } from './members/sign-in-attempts.ts';
export { RecentPrincipals } from './recent-principals.ts';
export { keepSecret } from './secrets/keep-secret.ts';
export {
  type OpenedSecrets,
  openSecrets,
  resealSecrets,
  rotateSecrets,
  type SecretCounts,
  type SecretHolder,
  type SecretSettings,
  secretKeyFile,
  secretsOf,
} from './secrets/open-secrets.ts';
export type { SecretBox } from './secrets/secret-box.ts';
export { type FailureChannel, sharedFailureGate } from './shared-failure-gate.ts';
export {
  generateKeyId,
  generateSecret,
  hasValidChecksum,
  keyIdPattern,
  keyReference,
  secretPattern,
} from './tokens.ts';
