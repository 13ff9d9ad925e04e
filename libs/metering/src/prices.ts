/** Gas that costs one credit beyond the price of a method. */
export const gasPerCredit = 10_000;
/** Bytes of an answer of JSON-RPC that cost one credit beyond the price of a method. */
export const answerBytesPerCredit = 100 * 1024;
/** Bytes of a body to JSON-RPC that cost one credit beyond the prices of its requests: they are received, decoded and parsed. */
export const bodyBytesPerCredit = 100 * 1024;
/** Bytes of a transfer to or from storage that cost one credit. */
export const transferBytesPerCredit = 1024 * 1024;

/**
 * Credits for a millisecond of a worker: as much as the gas costs that the interpreter executes in it. The price of
 * executions whose gas says little of their work, such as traces, and of those that end without a result.
 */
export const creditsPerWorkerMs = 5;

/** Credits for a block that is simulated, beside the gas of its calls: it is sealed with roots and hashes. */
export const creditsPerSimulatedBlock = 10;
/** Credits for a call of a simulated block, beside its gas. */
export const creditsPerSimulatedCall = 2;

/** Credits for the time that a worker was held. */
export function creditsOfWorker(milliseconds: number): number {
  return Math.floor(milliseconds * creditsPerWorkerMs);
}

/** Bytes of blocks that a command of storage reads, writes or visits, beyond those that it transfers, that cost one credit. */
const workBytesPerCredit = 1024 * 1024;

/** Credits for gas that an execution used. */
export function creditsOfGas(gas: number): number {
  return Math.floor(gas / gasPerCredit);
}

/** Credits for an answer of so many bytes. */
export function creditsOfAnswer(bytes: number): number {
  return Math.floor(bytes / answerBytesPerCredit);
}

/** Credits for a body of so many bytes, without its encoding. */
export function creditsOfBody(bytes: number): number {
  return Math.floor(bytes / bodyBytesPerCredit);
}

/** Credits for bytes received by storage and sent by it. */
export function creditsOfTransfer(bytes: number): number {
  return Math.floor(bytes / transferBytesPerCredit);
}

/** Credits for work of storage beyond its transfers, in bytes. */
export function creditsOfWork(bytes: number): number {
  return Math.max(0, Math.floor(bytes / workBytesPerCredit));
}
