// Hot path of calls with overrides: the row of tools/bench/peers.mjs. overridden-codes.spec.ts compares it with a conversion.
import { bytesFromHex, type Hex, keccak256 } from '@cairn/block-model';

export interface OverriddenCode {
  /** Must not be modified. */
  readonly bytes: Uint8Array;
  /** Keccak-256. */
  readonly hash: Uint8Array;
}

/** Most characters of kept codes. They are released when the bound is reached. */
const charactersMax = 4 * 1024 * 1024;

const codes = new Map<Hex, OverriddenCode>();
let characters = 0;

/**
 * Converts the code of an override. Clients repeat the same code in many calls. Its array is the same each time, so that engines find
 * its analysis and its compiled form.
 */
export function overriddenCode(code: Hex): OverriddenCode {
  const known = codes.get(code);
  if (known !== undefined) return known;
  const bytes = bytesFromHex(code);
  const made = { bytes, hash: keccak256(bytes) };
  characters += code.length;
  if (characters > charactersMax) {
    codes.clear();
    characters = code.length;
  }
  codes.set(code, made);
  return made;
}
