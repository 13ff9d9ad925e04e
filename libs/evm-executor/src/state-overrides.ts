import { bytesFromHex, type Hex } from '@cairn/block-model';
import type { PrecompileChanges, WorldState } from '@cairn/evm';
import type { StateOverrides } from './call-request.ts';
import { checksumAddress } from './checksum-address.ts';
import { InvalidOverrideError } from './errors.ts';
import { overriddenCode } from './overridden-codes.ts';

/** Precompile changes of a call without overrides. */
export const noPrecompileChanges: PrecompileChanges = { removed: new Set(), moved: new Map() };

/**
 * Writes overrides into a world, as geth's `StateOverride.Apply` does. Any override of a precompile turns it into an ordinary
 * account.
 * @throws OVERRIDE_INVALID naming the account and the field
 */
export function applyStateOverrides(
  world: WorldState,
  overrides: StateOverrides | undefined,
  precompiles: readonly Hex[],
): PrecompileChanges {
  if (overrides === undefined || overrides.size === 0) return noPrecompileChanges;
  const removed = new Set<Hex>();
  const moved = new Map<Hex, Hex>();
  // Ordered by address, as in geth: of several faults, the first one is reported.
  const sorted = [...overrides].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [address, override] of sorted) {
    const isPrecompile = precompiles.includes(address);
    const destination = override.movePrecompileToAddress;
    if (destination !== undefined) {
      const field = `stateOverrides.${address}.movePrecompileToAddress`;
      if (!isPrecompile)
        throw new InvalidOverrideError(field, `account ${checksumAddress(address)} is not a precompile`);
      if (overrides.has(destination)) {
        throw new InvalidOverrideError(field, `account ${checksumAddress(destination)} is already overridden`);
      }
      moved.set(destination, address);
    }
    if (isPrecompile) removed.add(address);
    applyOne(world, address, override);
  }
  world.beginMessage();
  return { removed, moved };
}

function applyOne(
  world: WorldState,
  address: Hex,
  { nonce, balance, code, state, stateDiff }: NonNullable<ReturnType<StateOverrides['get']>>,
): void {
  const bytes = bytesFromHex(address);
  if (state !== undefined && stateDiff !== undefined) {
    throw new InvalidOverrideError(
      `stateOverrides.${address}`,
      `account ${checksumAddress(address)} has both 'state' and 'stateDiff'`,
    );
  }
  if (nonce !== undefined || balance !== undefined) {
    world.updateAccount(bytes, {
      ...(nonce !== undefined && { nonce }),
      ...(balance !== undefined && { balance }),
    });
  }
  if (code !== undefined) {
    const { bytes: codeBytes, hash } = overriddenCode(code);
    world.setCode(bytes, codeBytes, hash);
  }
  // Like geth: writing storage creates the account.
  if (state !== undefined || (stateDiff?.size ?? 0) > 0) world.updateAccount(bytes, {});
  if (state !== undefined) world.clearStorage(bytes);
  for (const [slot, value] of state ?? stateDiff ?? []) {
    world.setStorage(bytes, bytesFromHex(slot), withoutLeadingZeros(value));
  }
}

function withoutLeadingZeros(value: Hex): Uint8Array {
  return bytesFromHex(value.replace(/^0x(00)*/, '0x'));
}
