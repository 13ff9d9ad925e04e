import { bytesFromHex, type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import { Mainnet } from '@ethereumjs/common';
import { sha256 } from '@noble/hashes/sha2.js';
import type { MessageContext } from '../apply-message.ts';
import type { ForkRules } from '../fork-rules.ts';

const systemAddress = bytesFromHex('0xfffffffffffffffffffffffffffffffffffffffe');
const systemGas = 30_000_000n;
const contracts = {
  beaconRoots: bytesFromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02'), // EIP-4788
  blockHashes: bytesFromHex('0x0000f90827f1c53a10cb7a02335b175320002935'), // EIP-2935
  withdrawals: bytesFromHex('0x00000961ef480eb55e80d19ad83579a64c007002'), // EIP-7002
  consolidations: bytesFromHex('0x0000bbddc7ce488642fb579f8b00f3a590007251'), // EIP-7251
} as const;
const noBytes = new Uint8Array(0);

/** What a block tells its contracts before its transactions run: the beacon root and the hash of its parent. */
export async function beginBlock(
  context: MessageContext,
  { parentHash, beaconRoot }: { readonly parentHash: Hex; readonly beaconRoot: Hex | undefined },
): Promise<void> {
  const { rules } = context;
  if (rules.isCancun && beaconRoot !== undefined)
    await systemCall(context, contracts.beaconRoots, bytesFromHex(beaconRoot));
  if (rules.isPrague) await systemCall(context, contracts.blockHashes, bytesFromHex(parentHash));
}

/** The hash of what a block asks the beacon chain for (EIP-7685): deposits (EIP-6110), withdrawals, consolidations. */
export async function collectRequests(context: MessageContext, logs: readonly Log[]): Promise<Hex> {
  const deposits = depositsIn(logs, context.rules);
  const withdrawals = await systemCall(context, contracts.withdrawals, noBytes);
  const consolidations = await systemCall(context, contracts.consolidations, noBytes);
  const hashes = [deposits, withdrawals, consolidations].flatMap((data, type) =>
    data.length === 0 ? [] : [sha256(Buffer.concat([Buffer.of(type), data]))],
  );
  return hexFromBytes(sha256(Buffer.concat(hashes)));
}

/** Calls a contract in the name of the protocol: for nothing, and without a trace where there is no such contract. */
async function systemCall(
  { world, ...context }: MessageContext,
  to: Uint8Array,
  data: Uint8Array,
): Promise<Uint8Array> {
  if (world.getCode(to).length === 0) return noBytes;
  world.begin();
  const { output } = await context.engine.run({
    ...context,
    world,
    sender: systemAddress,
    to,
    value: 0n,
    data,
    gas: systemGas,
    gasPrice: 0n,
    blobVersionedHashes: [],
    warm: [],
  });
  const system = world.getAccount(systemAddress);
  if (system?.nonce === 0n && system.balance === 0n) world.removeAccount(systemAddress);
  return output;
}

/** Keccak-256 of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const depositTopic: Hex = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5';
/** Public key, withdrawal credentials, amount, signature, index: where each stands in the event, and its length. */
const depositFields = [
  [192, 48],
  [288, 32],
  [352, 8],
  [416, 96],
  [544, 8],
] as const;
const depositEventBytes = 576;

function depositsIn(logs: readonly Log[], rules: ForkRules): Uint8Array {
  const address = depositContract(rules);
  const deposits = logs
    .filter((log) => log.address === address && log.topics[0] === depositTopic)
    .map(({ data }) => bytesFromHex(data))
    .filter(({ length }) => length === depositEventBytes)
    .map((event) => Buffer.concat(depositFields.map(([start, length]) => event.subarray(start, start + length))));
  return Buffer.concat(deposits);
}

/** Chains name their own; those that do not have that of mainnet. */
function depositContract({ common }: ForkRules): string {
  const { _chainParams: chain } = common as unknown as { readonly _chainParams: { depositContractAddress?: string } };
  return (chain.depositContractAddress ?? Mainnet.depositContractAddress ?? '').toLowerCase();
}
