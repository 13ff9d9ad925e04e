import { AttemptFailure, type FailureKind } from './errors.ts';
import type { Redactor } from './redact.ts';

/** JSON-RPC error object of an upstream. */
export interface RpcErrorObject {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

interface Rule {
  readonly kind: FailureKind | 'batch';
  readonly codes: readonly number[];
  readonly text: RegExp;
}

/**
 * Error codes and texts of nodes and providers, first match first. Sources: geth, Erigon, Nethermind, Besu, Reth, anvil, and
 * the error pages of Infura, Alchemy, QuickNode and Ankr. EIP-1474 defines -32601, -32004 and -32005.
 */
const rules: readonly Rule[] = [
  {
    kind: 'batch',
    codes: [],
    text: /batch (requests? )?(size|limit|length|too|is not|are not|not|requests? are)|batch.*(too large|exceed|disabled|unsupported)|too many (calls|requests) in.*batch/i,
  },
  {
    kind: 'limited',
    codes: [429, -32005, -32029, -32090, -32097],
    text: /rate.?limit|too many requests|request limit|throttl|exceeded.*(capacity|compute units|quota|credits|limit per)|daily (request )?(count|limit)/i,
  },
  {
    kind: 'pruned',
    codes: [],
    text: /missing trie node|state (at block .*)?(is |has been |was )?(not available|unavailable|pruned|deleted)|world state unavailable|no state available|pruned|historical state|state histor|old data not available|proof window|too old|archive|before .*(pruning|history)|history.*(expired|unavailable)/i,
  },
  {
    kind: 'unsupported',
    codes: [-32601, -32004],
    text: /method.*(not found|not supported|unsupported|does not exist|not available|not allowed|disabled|not whitelisted)|unsupported method|not implemented/i,
  },
  {
    kind: 'stale',
    codes: [],
    text: /header not found|unknown block|block not found|(could|can) ?not find block|header for hash not found|unknown header|block .*(not yet|does not exist)|block is (out of range|ahead)/i,
  },
  {
    kind: 'failed',
    codes: [-32603, -32000],
    text: /time.?out|timed out|overloaded|temporarily|try again|internal error|bad gateway/i,
  },
];

/** Kind of a JSON-RPC error. `batch` means that the node refuses batches of this size. */
export function kindOfRpcError({ code, message }: RpcErrorObject): FailureKind | 'batch' {
  const text = textOf(message);
  // Texts are more specific than codes: providers send -32000 and -32005 for many faults.
  const byText = rules.find((rule) => rule.text.test(text) && (rule.kind !== 'failed' || code !== 3));
  if (byText !== undefined && code !== 3) return byText.kind;
  const byCode = rules.find((rule) => rule.kind !== 'failed' && typeof code === 'number' && rule.codes.includes(code));
  return byCode?.kind ?? 'refused';
}

/** Characters of a message that are matched: the time of the patterns grows faster than the length. */
const messageCharactersMax = 1000;

/** The message as text. Other values are ignored: an object with its own `toString` would throw. */
function textOf(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, messageCharactersMax) : '';
}

/** Failure of an attempt for a JSON-RPC error object, without credentials. */
export function failureOfRpcError(error: RpcErrorObject, redactor: Redactor): AttemptFailure {
  const kind = kindOfRpcError(error);
  return new AttemptFailure(
    kind === 'batch' ? 'refused' : kind,
    (redactor.text(textOf(error.message)) || 'no message').slice(0, 300),
    {
      rpcCode: Number.isInteger(error.code) ? (error.code as number) : -32603,
      rpcData: redactor.json(error.data),
    },
  );
}

/** Failure of an attempt for an HTTP status outside 2xx. */
export function failureOfStatus(status: number, retryAfter: string | undefined, now: number): AttemptFailure {
  if (status === 429 || (status === 503 && retryAfter !== undefined))
    return new AttemptFailure('limited', `status ${status}`, { retryAfterMs: retryAfterMsOf(retryAfter, now) });
  return new AttemptFailure('failed', `status ${status}`);
}

/** Retry-After in seconds or as an HTTP date (RFC 9110, section 10.2.3), in milliseconds. */
function retryAfterMsOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
