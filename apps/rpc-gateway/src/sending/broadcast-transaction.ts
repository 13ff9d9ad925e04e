import type { Hex } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type AttemptFailure, answerInvalid, type BroadcastOutcome, type UpstreamPool } from '@cairn/upstream';

/** Texts by which nodes say that they have the transaction already: geth, Nethermind, Erigon, Besu, Reth, anvil. */
const knownTexts = /already.?(known|imported|exists|in (the )?(mem)?pool)|known transaction|same hash was already/i;
/** Failures before a request reaches the node. */
const unsentReasons =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|status 4(?!08)\d\d)$/;
const textCharactersMax = 300;

/** The pool that transactions are sent to. */
export type Broadcaster = Pick<UpstreamPool, 'broadcast'>;

/**
 * Sends one encoded transaction to every upstream. Resolves when the first accepts it or has it already; the other requests
 * continue. The bytes are those of the client, so that a repetition cannot create another transaction.
 * @throws RpcError -32000 if every upstream refused it, -32010 if it may have reached a node
 */
export async function broadcastTransaction(upstreams: Broadcaster, raw: Hex, hash: Hex): Promise<void> {
  const call = {
    method: 'eth_sendRawTransaction',
    params: [raw],
    parse(result: unknown): void {
      if (String(result).toLowerCase() !== hash) throw answerInvalid(`the hash of the transaction is not ${hash}`);
    },
  };
  const outcomes = await new Promise<readonly BroadcastOutcome<void>[] | undefined>((resolve, reject) => {
    const onOutcome = (outcome: BroadcastOutcome<void>) => isAccepted(outcome) && resolve(undefined);
    upstreams.broadcast(call, { onOutcome }).then(resolve, reject);
  });
  if (outcomes !== undefined && !outcomes.some(isAccepted)) throw failureOf(hash, outcomes);
}

function isAccepted({ failure }: BroadcastOutcome<unknown>): boolean {
  return failure === undefined || (isAnswer(failure) && knownTexts.test(failure.message));
}

/** Whether a failure is a JSON-RPC error of the node. */
function isAnswer({ rpcCode }: AttemptFailure): boolean {
  return rpcCode !== undefined;
}

/** Whether the node has refused the transaction or never received it. Everything else may have reached a pool. */
function isCertain(failure: AttemptFailure): boolean {
  if (failure.kind === 'failed') return unsentReasons.test(failure.message);
  return failure.kind !== 'wrong';
}

function failureOf(hash: Hex, outcomes: readonly BroadcastOutcome<unknown>[]): RpcError {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [{ failure }]));
  // Without the host: some providers have the key in its name.
  const upstreams = failures.map(({ failure }) => ({
    kind: failure.kind,
    message: withoutUrls(failure.message),
    ...(failure.rpcCode !== undefined && { code: failure.rpcCode }),
  }));
  const data = { hash, upstreams };
  if (failures.some(({ failure }) => !isCertain(failure)))
    return new RpcError(
      'sendUncertain',
      `The outcome of transaction ${hash} is unknown: no upstream confirmed it in time, and it may still be mined. Look up its receipt, or send the same bytes again.`,
      data,
    );
  const refusal = failures.find(({ failure }) => isAnswer(failure) && failure.kind === 'refused');
  if (refusal !== undefined) {
    const count = `${failures.length} ${failures.length === 1 ? 'upstream' : 'upstreams'}`;
    const text = withoutUrls(refusal.failure.message);
    return new RpcError('server', `${text}. ${count} did not accept the transaction; the data has each reason.`, data);
  }
  const hint = 'Try again: the transaction was not sent.';
  return new RpcError('server', `no upstream can take transactions now. ${hint}`, data);
}

/** Texts of nodes can contain the URL of the request, and URLs can contain keys. */
function withoutUrls(text: string): string {
  return text.slice(0, textCharactersMax).replaceAll(/\b(https?|wss?):\/\/\S*/gi, '(URL)');
}
