import { type AccountChange, type AccountState, type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import { compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import type { RecordingWorld } from './recording-world.ts';

interface Fields {
  readonly balance: Hex;
  readonly code: Hex;
  readonly nonce: Hex;
}

/** Changes of the world by a transaction, in Parity's format: `=` unchanged, `+` created, `-` removed, `*` changed. */
export function stateDiffToJson(world: RecordingWorld): string {
  const changed: [Hex, string][] = [];
  for (const change of world.changes()) {
    const address = hexFromBytes(change.address);
    const text = accountToJson(world, address, change);
    if (text !== undefined) changed.push([address, text]);
  }
  changed.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${changed.map(([address, text]) => `"${address}":${text}`).join(',')}}`;
}

/** @returns `undefined` if the account is as before */
function accountToJson(world: RecordingWorld, address: Hex, change: AccountChange): string | undefined {
  const recorded = world.before(address);
  const code = world.getCode(change.address);
  const after = change.account && fieldsOf(change.account, code);
  // Writes to storage leave the account as it is.
  const before = recorded === undefined ? after : recorded.account && fieldsOf(recorded.account, recorded.code);
  if (before === undefined && after === undefined) return undefined;
  // The removal of an account implies that of its storage.
  if (after === undefined) return before && textOf((name) => `{"-":"${before[name]}"}`, []);
  const slots = slotsOf(world, change);
  if (before === undefined) {
    const held = slots.filter(({ to }) => to !== noWord).map(({ slot, to }) => `"${slot}":{"+":"${to}"}`);
    return textOf((name) => `{"+":"${after[name]}"}`, held);
  }
  const hasSameCode = recorded === undefined || recorded.code === code || compareBytes(recorded.code, code) === 0;
  const isSame = (name: keyof Fields) => (name === 'code' ? hasSameCode : before[name] === after[name]);
  if (isSame('balance') && isSame('nonce') && hasSameCode && slots.length === 0) return undefined;
  return textOf(
    (name) => (isSame(name) ? '"="' : moved(before[name], after[name])),
    slots.map(({ slot, from, to }) => `"${slot}":${moved(from, to)}`),
  );
}

const moved = (from: Hex, to: Hex) => `{"*":{"from":"${from}","to":"${to}"}}`;

function textOf(field: (name: keyof Fields) => string, slots: readonly string[]): string {
  return `{"balance":${field('balance')},"code":${field('code')},"nonce":${field('nonce')},"storage":{${slots.join(',')}}}`;
}

function fieldsOf({ balance, nonce }: AccountState, code: Uint8Array): Fields {
  return {
    balance: quantity(balance),
    nonce: quantity(nonce),
    // Read only where it changes: code is long.
    get code() {
      return hexFromBytes(code);
    },
  };
}

const noWord: Hex = `0x${'0'.repeat(64)}`;
const word = (bytes: Uint8Array): Hex => `0x${hexDigitsFromBytes(bytes).padStart(64, '0')}`;

interface SlotDiff {
  readonly slot: Hex;
  readonly from: Hex;
  readonly to: Hex;
}

/** Slots with another value than before the transaction, ordered by key. */
function slotsOf(world: RecordingWorld, { address, slots }: AccountChange): SlotDiff[] {
  const ordered = [...slots].sort(([a], [b]) => compareBytes(a, b));
  const all = ordered.map(([key, value]) => ({
    slot: hexFromBytes(key),
    from: word(world.getOriginalStorage(address, key)),
    to: word(value),
  }));
  return all.filter(({ from, to }) => from !== to);
}
