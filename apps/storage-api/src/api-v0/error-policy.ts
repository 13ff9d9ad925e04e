import type { AuthErrorCode } from '@cairn/auth';
import { cidCharactersMax } from '@cairn/cid';
import type { StoreErrorCode } from '@cairn/embedded-store';
import { type CairnError, errorText, isCairnError } from '@cairn/errors';
import type { MeteringErrorCode } from '@cairn/metering';
import { engineFailureOf } from '@cairn/stores';
import { ApiError, faultHeaders } from './api-error.ts';
import { CidTextError, decodeCid } from './cid/cid-parts.ts';

/** Codes of the error classes that a package exports. */
type CodesOf<Package> = {
  [Name in keyof Package]: Package[Name] extends abstract new (
    ...args: never[]
  ) => CairnError<infer Code>
    ? Code
    : never;
}[keyof Package];

/** Codes of every error that a command can meet: a class that a lib adds has to get a rule. */
type Code =
  | StoreErrorCode
  | AuthErrorCode
  | MeteringErrorCode
  | CodesOf<typeof import('@cairn/cid')>
  | CodesOf<typeof import('@cairn/blockstore')>
  | CodesOf<typeof import('@cairn/unixfs')>
  | CodesOf<typeof import('@cairn/dag')>
  | CodesOf<typeof import('@cairn/mfs')>
  | CodesOf<typeof import('@cairn/ipns')>
  | CodesOf<typeof import('@cairn/pinning')>
  | CodesOf<typeof import('@cairn/peer-api')>
  /** Refusal of a fetch by the denylists of the IPFS peer. */
  | 'CONTENT_DENIED';

/** Client's view of an error: its HTTP status and its message. */
interface Rule {
  readonly status: number;
  /**
   * `hint`: the message and what to do about it. `message`: the message alone, which is Kubo's. `private`: a general
   * text, since the message names directories and records. A function: Kubo's message, which clients match.
   */
  readonly message: 'hint' | 'message' | 'private' | ((error: CairnError) => string);
  /** The service caused the error, and no change of the request helps. */
  readonly isFault?: boolean;
}

const bad: Rule = { status: 400, message: 'hint' };
const forbidden: Rule = { status: 403, message: 'hint' };
const unavailable: Rule = { status: 503, message: 'hint' };
/** Status that Kubo gives any failing command. */
const failed: Rule = { status: 500, message: 'hint' };
/** The message has the address of the process of the peer. */
const unavailablePeer: Rule = {
  status: 503,
  message: () => 'the IPFS peer does not answer; the log of the service has the reason',
};
const failedAsKubo: Rule = { status: 500, message: 'message' };
const fault: Rule = { status: 500, message: 'hint', isFault: true };
const damagedStore: Rule = { status: 500, message: 'private', isFault: true };

/** HTTP status and message of each error code. */
const rules = {
  ACCOUNT_EXISTS: failed,
  ACCOUNT_NOT_FOUND: failed,
  ACCOUNT_SUSPENDED: forbidden,
  ADDRESS_FILTERS_FULL: failed,
  ADDRESS_INVALID: bad,
  ADDRESS_REFUSED: forbidden,
  ATTEMPTS_PAUSED: { status: 429, message: 'hint' },
  BILLING_CARD_REQUIRED: { status: 402, message: 'hint' },
  BLOCK_CORRUPT: fault,
  BLOCK_NOT_FOUND: { status: 500, message: missingBlockMessage },
  BLOCK_TOO_LARGE: bad,
  CAR_INVALID: { status: 400, message: carMessage },
  CID_INVALID: bad,
  CLIENT_NOT_ALLOWED: forbidden,
  CODEC_UNSUPPORTED: bad,
  COLLECTION_BUSY: failed,
  CONTENT_DENIED: failedAsKubo,
  CREDENTIALS_INVALID: { status: 401, message: 'hint' },
  CYCLE_OVER: failed,
  DAG_INVALID: failed,
  DAG_TOO_LARGE: failed,
  DIAL_FAILED: failed,
  ENTRY_EXISTS: failedAsKubo,
  FILE_NOT_FOUND: failedAsKubo,
  GATEWAY_HOST_EXISTS: failed,
  GATEWAY_HOST_NOT_FOUND: failed,
  HASH_UNSUPPORTED: bad,
  HOLD_LOST: unavailable,
  IDENTITY_REFUSED: failed,
  INVITATION_NOT_FOUND: failed,
  PASSKEY_NOT_FOUND: failed,
  PASSKEY_REFUSED: failed,
  PASSKEYS_FULL: failed,
  SESSION_NOT_FOUND: failed,
  API_TOKEN_NOT_FOUND: failed,
  IPNS_KEY_EXISTS: { status: 500, message: ({ details }) => `key with name '${String(details.label)}' already exists` },
  IPNS_KEY_INVALID: { status: 500, message: ({ details }) => String(details.words) },
  IPNS_KEY_UNKNOWN: { status: 500, message: ({ details }) => `no key named ${String(details.label)} was found` },
  IPNS_RECORD_INVALID: { status: 500, message: ({ details }) => String(details.words) },
  IPNS_SEQUENCE_LOW: {
    status: 500,
    message: () => 'sequence number must be greater than the current record sequence',
  },
  IS_A_DIRECTORY: failedAsKubo,
  KEY_EXISTS: failed,
  KEY_NOT_FOUND: failed,
  KEY_REVOKED: failed,
  KEY_SCOPE_MISSING: forbidden,
  LIMIT_REACHED: { status: 429, message: 'hint' },
  LINK_INVALID: forbidden,
  LINK_NOT_FOUND: failed,
  LISTEN_FAILED: failed,
  MEMBER_EXISTS: failed,
  MEMBERS_FULL: failed,
  API_TOKENS_FULL: failed,
  MEMBER_NOT_FOUND: failed,
  METHOD_NOT_IN_PLAN: failed,
  MULTIBASE_INVALID: failed,
  MULTIBASE_UNKNOWN: bad,
  NAMES_FULL: forbidden,
  NAME_UNRESOLVED: { status: 500, message: unresolvedMessage },
  NOT_A_DIRECTORY: failedAsKubo,
  NOT_A_FILE: failedAsKubo,
  OPTION_INVALID: bad,
  OWNER_REQUIRED: failed,
  PASSWORD_WEAK: failed,
  PATH_INVALID: { status: 400, message: pathMessage },
  PATH_LOOKUP_FAILED: failedAsKubo,
  PEERING_FULL: failed,
  PEER_CLOSED: unavailable,
  PEER_FAULT: fault,
  PEER_FETCHES_EXCEEDED: unavailable,
  PEER_NOT_CONNECTED: failed,
  PEER_NOT_FOUND: failed,
  PEER_REQUEST_INVALID: failed,
  PEER_UNAVAILABLE: unavailablePeer,
  PIN_MODE_CONFLICT: { status: 500, message: pinModeMessage },
  PIN_NOT_FOUND: { status: 500, message: () => 'not pinned or pinned indirectly' },
  PIN_REQUESTS_FULL: forbidden,
  PIN_REQUEST_NOT_FOUND: { status: 404, message: 'hint' },
  PLAN_INVALID: failed,
  PLAN_NOT_FOUND: failed,
  QUOTA_EXCEEDED: forbidden,
  RECORD_INVALID: bad,
  RECORD_NOT_FOUND: failed,
  ROUTING_UNAVAILABLE: fault,
  SECRETS_KEY_UNUSABLE: unavailable,
  SESSION_INVALID: failed,
  SIGN_IN_FAILED: failed,
  STORE_CLOSED: unavailable,
  STORE_CORRUPT: damagedStore,
  STORE_FULL: { status: 507, message: 'hint' },
  STORE_KEY_INVALID: failed,
  STORE_UNAVAILABLE: damagedStore,
  STORE_VERSION_UNSUPPORTED: damagedStore,
  STORE_WRITE_FAILED: damagedStore,
  SWARM_KEY_INVALID: failed,
  TOKEN_INVALID: failed,
  TOTP_INVALID: failed,
  TOTP_REQUIRED: failed,
  TREE_BUSY: unavailable,
  TREE_CHANGE_INVALID: failedAsKubo,
  VALUE_INVALID: bad,
  WEBHOOK_NOT_FOUND: { status: 404, message: 'hint' },
  WEBHOOK_URL_INVALID: { status: 400, message: 'hint' },
} as const satisfies Record<Code, Rule>;

function ruleOf({ code }: CairnError): Rule {
  return (rules as Readonly<Record<string, Rule>>)[code] ?? failed;
}

/** Reports whether an error is a failure of a store: its message is for the operator, and clients get a general one. */
export function isStoreFailure(error: unknown): boolean {
  return engineFailureOf(error) !== undefined || (isCairnError(error) && ruleOf(error).message === 'private');
}

/** Returns the error as clients see it; `undefined` for one that has no code, which only the log may show. */
export function apiErrorFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!isCairnError(error)) return undefined;
  const engine = engineFailureOf(error);
  if (engine !== undefined)
    return new ApiError(engine.status, `${engine.message} ${engine.hint}`, { ...faultHeaders, ...retryAfter(engine) });
  // A wait for a block that the timeout or the client ended.
  const ended = isCairnError(error, 'BLOCK_NOT_FOUND') ? apiErrorFrom(error.cause) : undefined;
  if (ended) return new ApiError(ended.status, `${ended.message}: ${notFound(error.details)}`, ended.headers);
  const { status, message, isFault = false } = ruleOf(error);
  const headers: Record<string, string> = {
    ...(isFault && faultHeaders),
    ...(status === 401 && { 'www-authenticate': 'Basic realm="cairn", charset="UTF-8"' }),
    ...retryAfter(error.details),
  };
  return new ApiError(status, messageOf(error, message), headers);
}

function retryAfter({ retryAfterSeconds }: { readonly retryAfterSeconds?: unknown }): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

function messageOf(error: CairnError, message: Rule['message']): string {
  if (typeof message === 'function') return message(error);
  if (message === 'private') return 'the store is damaged or cannot be used; the log of the service has the reason';
  return message === 'message' ? error.message : errorText(error);
}

/** Message of go-ipld-format for a missing block. */
function notFound({ cid }: Readonly<Record<string, unknown>>): string {
  return `ipld: could not find ${String(cid)}`;
}

function missingBlockMessage({ details }: CairnError): string {
  const waited = details.waitedMs === undefined ? '' : ` (waited ${String(details.waitedMs)} ms for it)`;
  return `block was not found locally (offline): ${notFound(details)}${waited}`;
}

/** Message of boxo's namesys. */
function unresolvedMessage({ details: { name, reason } }: CairnError): string {
  const words = 'could not resolve name';
  if (reason === 'recursion') return `${words} (recursion limit exceeded)`;
  if (reason !== 'no-dnslink') return words;
  const lookup = `DNSLink lookup for ${JSON.stringify(`${String(name)}.`)} failed: ${words}`;
  return `${lookup}: DNSLink lookup could not find a TXT record (https://docs.ipfs.tech/concepts/dnslink/)`;
}

function pinModeMessage(error: CairnError): string {
  const { mode, cid } = error.details;
  return mode === 'recursive' ? `${String(cid)} is pinned recursively` : errorText(error);
}

function carMessage(error: CairnError): string {
  const { words } = error.details;
  return typeof words === 'string' ? words : errorText(error);
}

/** Message of go-cid for a path whose CID cannot be decoded. */
function pathMessage({ message, details: { path, cidText } }: CairnError): string {
  if (typeof cidText !== 'string' || cidText.length > cidCharactersMax) return message;
  try {
    decodeCid(cidText);
    return message;
  } catch (error) {
    return error instanceof CidTextError ? `invalid path ${JSON.stringify(path)}: ${error.message}` : message;
  }
}
