import type { Header, Hex } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { createInterpreterEngine } from '@cairn/evm';
import { type CallRefusal, type CallResult, recordCall } from '@cairn/evm-executor';
import { requireChain, specOf, type VerifiedChain } from './chain/chain-of.ts';
import { linkedHeaders } from './chain/linked-headers.ts';
import { VerifyError } from './errors.ts';
import { verifyLimits } from './limits.ts';
import { type CallMessage, type CallMessageJson, parseCallMessage, textOfCallMessage } from './witness/call-message.ts';
import { decodeCallWitness } from './witness/call-witness.ts';
import type { WitnessBytes } from './witness/envelope.ts';
import { WitnessState } from './witness/witness-state.ts';

export interface VerifyCallOptions {
  /** The trusted hash of the block on whose state the call runs. */
  readonly blockHash: Hex;
  /** Decides the fork rules. Default: mainnet. */
  readonly chain?: VerifiedChain;
  /** The call that was requested. Without it, compare `message` of the result with it. */
  readonly message?: CallMessageJson;
  /** Gas limit of a call without `gas`, and upper limit of `gas`, in gas limits of the block. Default: 10, as in the gateway. */
  readonly gasCapMultiplier?: number;
  /** Time limit of the execution. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** A verified call. */
export interface VerifiedCall {
  readonly message: CallMessage;
  readonly header: Header;
  readonly result: CallResult | CallRefusal;
}

/** Refuses the messages that the interpreter leaves to another engine: more gas than a double counts. */
const noEngine = {
  name: 'none',
  run: () => Promise.reject(new VerifyError('RESULT_DIFFERS', 'The call has more gas than can be verified.')),
};
const engine = createInterpreterEngine(noEngine);

/**
 * Executes the call of a witness from nothing but the witness, and compares result, gas and revert data. Trusted are the block
 * hash and the rules of the chain. Nodes and codes are found by their hash, so that surplus ones have no effect.
 * @throws VerifyError, EXECUTION_TIMEOUT
 */
export async function verifyCall(witness: WitnessBytes, options: VerifyCallOptions): Promise<VerifiedCall> {
  const { chainId, message, headers, codes, nodes, result } = decodeCallWitness(witness);
  const spec = specOf(options.chain);
  requireChain(spec, chainId);
  if (options.message !== undefined) requireMessage(message, options.message);
  const [header, ...ancestors] = linkedHeaders(headers, options.blockHash);
  const { gasCapMultiplier = verifyLimits.gasCapMultiplier, timeoutMs = verifyLimits.timeoutMs } = options;
  const executed = await recorded({
    spec,
    header,
    state: new WitnessState(header.stateRoot, { nodes, codes }),
    blockHashes: (number) => ancestorHash(header, ancestors, number),
    ...message,
    engine,
    limits: { gasCapMultiplier, deadline: { at: performance.now() + timeoutMs, timeoutMs } },
  });
  requireSame(executed, result);
  return { message, header, result: executed };
}

async function recorded(options: Parameters<typeof recordCall>[0]): Promise<CallResult | CallRefusal> {
  try {
    return (await recordCall(options)).result;
  } catch (error) {
    // Nodes whose content is no trie node, and overrides that cannot be applied.
    if (error instanceof VerifyError || isCairnError(error, 'EXECUTION_TIMEOUT')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new VerifyError('WITNESS_MALFORMED', `The call of the witness cannot be executed: ${reason}`, {
      cause: error,
    });
  }
}

function ancestorHash(header: Header, ancestors: readonly Header[], number: bigint): Hex | undefined {
  if (number < 0n) return undefined;
  const depth = header.number - number;
  if (depth === 1n) return header.parentHash;
  // The hash of an ancestor is the parent hash of its successor.
  const successor = ancestors[Number(depth) - 2];
  if (successor !== undefined) return successor.parentHash;
  throw new VerifyError('WITNESS_INCOMPLETE', `The witness lacks the header of block ${number + 1n}.`);
}

function requireMessage(found: CallMessage, wanted: CallMessageJson): void {
  if (textOfCallMessage(found) === textOfCallMessage(parseCallMessage(wanted))) return;
  throw new VerifyError('REQUEST_DIFFERS', 'The witness is for another call than the requested one.');
}

function requireSame(executed: CallResult | CallRefusal, stated: CallResult | CallRefusal): void {
  const [found, expected] = [{ ...stated }, { ...executed }] as Readonly<Record<string, unknown>>[];
  for (const field of new Set([...Object.keys(found ?? {}), ...Object.keys(expected ?? {})]))
    if (found?.[field] !== expected?.[field])
      throw new VerifyError('RESULT_DIFFERS', `The stated ${field} of the result is not that of the execution.`, {
        details: { field, stated: shown(found?.[field]), executed: shown(expected?.[field]) },
      });
}

function shown(value: unknown): string {
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
