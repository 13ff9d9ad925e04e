import { CairnError } from '@cairn/errors';
import { formatGoDuration } from './format-go-duration.ts';

/** A message reads a contract that its caller may not read. */
export class ContractNotAllowedError extends CairnError<'CONTRACT_NOT_ALLOWED'> {
  constructor(address: string) {
    super(
      'CONTRACT_NOT_ALLOWED',
      `The call reads the contract ${address}, which is not on the caller's list of contracts.`,
      {
        hint: 'Add the contract to the list, or call with a key that may read all contracts.',
        details: { address },
      },
    );
  }
}

/** The engine is not part of the build for browsers. */
export class EngineUnavailableError extends CairnError<'ENGINE_UNAVAILABLE'> {
  constructor(engine: string) {
    super('ENGINE_UNAVAILABLE', `The engine ${engine} runs on Node only.`, {
      hint: 'Use the engine "interpreter". It has the same results.',
      details: { engine },
    });
  }
}

/** Thrown for a message with more gas than a double counts, if no engine can count more. */
export class GasUncountableError extends CairnError<'ENGINE_UNAVAILABLE'> {
  constructor(gas: bigint) {
    super('ENGINE_UNAVAILABLE', `The message has ${gas} gas. The engines count up to ${Number.MAX_SAFE_INTEGER}.`, {
      hint: 'Give the message less gas, or pass an engine that counts in integers of any size.',
      details: { gas: String(gas) },
    });
  }
}

/** A run ended at its deadline. The message is geth's. */
export class ExecutionTimeoutError extends CairnError<'EXECUTION_TIMEOUT'> {
  constructor(timeoutMs: number) {
    super('EXECUTION_TIMEOUT', `execution aborted (timeout = ${formatGoDuration(timeoutMs)})`, {
      hint: `The call ran longer than ${timeoutMs} ms. Give it less gas, or split it into smaller calls.`,
      details: { timeoutMs },
    });
  }
}
