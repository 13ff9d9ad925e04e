import { bytesFromHex, type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import type { EngineOutcome, EngineTracer, ForkRules } from '@cairn/evm';
import { concatBytes } from '@cairn/platform';
import { sha256 } from '@noble/hashes/sha2.js';
import { clearAccounts, type MessageContext } from '../apply-message.ts';
import { BlockInvalidError } from '../errors.ts';

/** Sender of system calls (EIP-4788). */
export const systemAddress = bytesFromHex('0xfffffffffffffffffffffffffffffffffffffffe');
const systemGas = 30_000_000n;
const contracts = {
  beaconRoots: bytesFromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02'), // EIP-4788
  blockHashes: bytesFromHex('0x0000f90827f1c53a10cb7a02335b175320002935'), // EIP-2935
  withdrawals: bytesFromHex('0x00000961ef480eb55e80d19ad83579a64c007002'), // EIP-7002
  consolidations: bytesFromHex('0x0000bbddc7ce488642fb579f8b00f3a590007251'), // EIP-7251
} as const;
const noBytes = new Uint8Array(0);

export interface BeginBlockOptions {
  readonly parentHash: Hex;
  readonly beaconRoot: Hex | undefined;
  /** Rules that decide which system calls the block has. Default: `context.rules`. */
  readonly rules?: ForkRules;
  readonly tracer?: EngineTracer | undefined;
}

/**
 * Performs the system calls before the transactions of a block: beacon root (EIP-4788) and parent hash (EIP-2935). A failure of
 * the first one is ignored (EIP-4788).
 * @returns number of logs of the calls, reverted ones included
 * @throws BLOCK_INVALID if the call for the parent hash fails
 */
export async function beginBlock(
  context: MessageContext,
  { parentHash, beaconRoot, rules = context.rules, tracer }: BeginBlockOptions,
): Promise<number> {
  const roots =
    rules.isCancun && beaconRoot !== undefined
      ? await systemCall(context, contracts.beaconRoots, bytesFromHex(beaconRoot), tracer)
      : undefined;
  const hashes = rules.isPrague
    ? await systemCall(context, contracts.blockHashes, bytesFromHex(parentHash), tracer)
    : undefined;
  outputOf(hashes, 'process parent block hash');
  return (roots?.logsMade ?? 0) + (hashes?.logsMade ?? 0);
}

/**
 * Computes the hash of a block's requests to the beacon chain (EIP-7685): deposits (EIP-6110), withdrawals and consolidations.
 * @throws BLOCK_INVALID with geth's message if a system call fails or a deposit is malformed
 */
export async function collectRequests(context: MessageContext, logs: readonly Log[]): Promise<Hex> {
  const deposits = depositsIn(logs, context.rules);
  const withdrawals = outputOf(await systemCall(context, contracts.withdrawals, noBytes), 'process withdrawal queue');
  const consolidations = outputOf(
    await systemCall(context, contracts.consolidations, noBytes),
    'process consolidation queue',
  );
  const hashes = [deposits, withdrawals, consolidations].flatMap((data, type) =>
    data.length === 0 ? [] : [sha256(concatBytes([Uint8Array.of(type), data]))],
  );
  return hexFromBytes(sha256(concatBytes(hashes)));
}

/** @throws BLOCK_INVALID if the call failed */
function outputOf(outcome: EngineOutcome | undefined, task: string): Uint8Array {
  if (outcome === undefined) return noBytes;
  if (outcome.kind === 'success') return outcome.output;
  const reason = outcome.reason ?? 'execution reverted';
  throw new BlockInvalidError(`failed to ${task}: system call failed to execute: ${reason}`);
}

/** Performs a free system call; returns `undefined` if the contract does not exist. */
async function systemCall(
  context: MessageContext,
  to: Uint8Array,
  data: Uint8Array,
  tracer?: EngineTracer,
): Promise<EngineOutcome | undefined> {
  const { world } = context;
  if (world.getCode(to).length === 0) return undefined;
  world.beginMessage();
  // The fields of a message of a transaction, in their order: engines then read one shape.
  const outcome = await context.engine.run({
    rules: context.rules,
    block: context.block,
    world,
    blockHash: context.blockHash,
    sender: systemAddress,
    to,
    value: 0n,
    data,
    gas: systemGas,
    gasPrice: 0n,
    blobVersionedHashes: [],
    warm: [{ address: hexFromBytes(to), storageKeys: [] }],
    precompiles: context.precompiles,
    tracer,
    budget: undefined,
    deadline: context.deadline,
  });
  clearAccounts(context, outcome, [systemAddress]);
  return outcome;
}

/** Keccak-256 of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const depositTopic: Hex = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5';
/** Offset and length of public key, withdrawal credentials, amount, signature and index in the event. */
const depositFields = [
  [192, 48],
  [288, 32],
  [352, 8],
  [416, 96],
  [544, 8],
] as const;
const depositEventBytes = 576;

function depositsIn(logs: readonly Log[], rules: ForkRules): Uint8Array {
  const address = rules.depositContract;
  const deposits = logs
    .filter((log) => log.address === address && log.topics[0] === depositTopic)
    .map(({ data }) => depositOf(bytesFromHex(data)));
  return concatBytes(deposits);
}

/** @throws BLOCK_INVALID for an event of another length (EIP-6110) */
function depositOf(event: Uint8Array): Uint8Array {
  if (event.length === depositEventBytes)
    return concatBytes(depositFields.map(([start, length]) => event.subarray(start, start + length)));
  throw new BlockInvalidError(
    `failed to parse deposit logs: unable to parse deposit data: deposit wrong length: want ${depositEventBytes}, have ${event.length}`,
  );
}
