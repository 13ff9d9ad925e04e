// Hot path of calls that read slots without a record, such as balances of new accounts: the row eth_call of balanceOf in
// tools/bench/peers.mjs. absent-slots.spec.ts compares it with a list of records.

/** Most known gaps of one reader, about 200 bytes each. They are released when the bound is reached. */
const gapsMax = 4096;

/** A range of slots without a record: those above `after`, up to and including `upTo`. */
interface Gap {
  readonly after: string;
  upTo: string;
}

/**
 * Gaps between the records of contracts, as far as reads have found them. The records of a contract divide its slots into ranges, so
 * that after a few reads most other absent slots need no seek. Slots are texts of 32 Latin-1 characters.
 */
export class AbsentSlots {
  /** By contract, in the order of slots. */
  readonly #gaps = new Map<string, Gap[]>();
  #count = 0;

  /** Reports whether a slot is known to have no record. */
  has(contract: string, slot: string): boolean {
    const gaps = this.#gaps.get(contract);
    if (gaps === undefined) return false;
    const gap = gaps[lastBelow(gaps, slot)];
    return gap !== undefined && slot <= gap.upTo;
  }

  /**
   * Notes that a slot has no record.
   * @param after greatest slot below it with a record of any height; empty if there is none
   */
  add(contract: string, after: string, slot: string): void {
    let gaps = this.#gaps.get(contract);
    const at = gaps === undefined ? -1 : lastBelow(gaps, slot);
    const gap = gaps?.[at];
    if (gap !== undefined && gap.after === after) {
      if (gap.upTo < slot) gap.upTo = slot;
      return;
    }
    if (gaps === undefined || this.#count >= gapsMax) {
      if (this.#count >= gapsMax) {
        this.#gaps.clear();
        this.#count = 0;
      }
      gaps = [];
      this.#gaps.set(contract, gaps);
    }
    gaps.splice(gaps.length === 0 ? 0 : at + 1, 0, { after, upTo: slot });
    this.#count++;
  }
}

/** Index of the last gap that begins below a slot; -1 if there is none. */
function lastBelow(gaps: readonly Gap[], slot: string): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle] as Gap).after < slot) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
