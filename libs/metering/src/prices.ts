/** Gas per credit, in addition to the price of a method. */
export const gasPerCredit = 10_000;
/** Bytes of a JSON-RPC response per credit, in addition to the price of a method. */
export const responseBytesPerCredit = 100 * 1024;
/** Bytes of a JSON-RPC request body per credit, in addition to the prices of its requests: receiving, decoding, parsing. */
export const bodyBytesPerCredit = 100 * 1024;
/** Bytes transferred to or from storage per credit. */
export const transferBytesPerCredit = 1024 * 1024;

/**
 * Credits per millisecond of a worker thread, equal to the gas that the interpreter executes in that time. Charged for
 * executions whose gas does not reflect their cost, such as traces, and for executions that end without a result.
 */
export const creditsPerWorkerMs = 5;

/** Credits per simulated block, in addition to the gas of its calls: roots and hashes are computed. */
export const creditsPerSimulatedBlock = 10;
/** Credits per call of a simulated block, in addition to its gas. */
export const creditsPerSimulatedCall = 2;
/** Credits per block of a range of traces, in addition to the time of its worker: the block is read even if it has no record. */
export const creditsPerTracedBlock = 2;

/** Credits per call to an upstream of a network, in addition to the price of the method. What is cached needs none. */
export const creditsPerUpstreamCall = 1;

/** Returns the credits for the time that a worker was occupied. */
export function creditsOfWorker(milliseconds: number): number {
  return Math.floor(milliseconds * creditsPerWorkerMs);
}

/** Bytes of blocks that a storage command reads, writes or visits per credit, in addition to the bytes it transfers. */
const workBytesPerCredit = 1024 * 1024;

/** Returns the credits for gas that an execution used. */
export function creditsOfGas(gas: number): number {
  return Math.floor(gas / gasPerCredit);
}

/** Returns the credits for a JSON-RPC response of this size. */
export function creditsOfResponse(bytes: number): number {
  return Math.floor(bytes / responseBytesPerCredit);
}

/** Returns the credits for a JSON-RPC request body of this size after decompression. */
export function creditsOfBody(bytes: number): number {
  return Math.floor(bytes / bodyBytesPerCredit);
}

/** Returns the credits for bytes that storage received and sent. */
export function creditsOfTransfer(bytes: number): number {
  return Math.floor(bytes / transferBytesPerCredit);
}

/** Returns the credits for bytes that storage processed in addition to its transfers. */
export function creditsOfWork(bytes: number): number {
  return Math.max(0, Math.floor(bytes / workBytesPerCredit));
}
