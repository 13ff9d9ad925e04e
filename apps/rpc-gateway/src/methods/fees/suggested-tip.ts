import { type Block, effectiveGasPrice, type Hex, senderOf } from '@cairn/block-model';
import type { Chain } from '../../chains/chain.ts';

// geth's oracle of gas prices (v1.17.5, eth/gasprice/gasprice.go) with the settings of a full node. geth carries its last price
// from head to head; here every head starts from the initial one, so that all processes answer the same.

const blocksWanted = 20;
const percentile = 60;
/** Prices of one block at most, the lowest. */
const pricesPerBlock = 3;
/** Wei per gas. */
const tipMin = 2n;
const tipMax = 500_000_000_000n;
const initialTip = 1_000_000n;

const rising = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** The tip of the last head asked for, of each chain. */
const known = new WeakMap<object, { readonly head: Hex; readonly tip: bigint }>();

/** A tip that the newest blocks would have taken, in wei per gas: the 60th percentile of the lowest of each. */
export function suggestedTip({ store }: Chain): bigint {
  const { hash: head, number } = store.head;
  const last = known.get(store);
  if (last?.head === head) return last.tip;
  const prices: bigint[] = [];
  let asked = Math.min(blocksWanted, Number(number));
  for (let index = 0; index < asked; index++) {
    const hash = store.hashByNumber(number - BigInt(index));
    const block = hash && store.block(hash);
    const found = block ? lowestTips(block) : [];
    prices.push(...(found.length === 0 ? [initialTip] : found));
    // A block with one price at most tells little: one more is asked in its place, up to twice as many.
    const left = asked - index - 1;
    const isThin = found.length <= 1 && prices.length + left < blocksWanted * 2;
    if (isThin && BigInt(asked) < number) asked++;
  }
  prices.sort(rising);
  const price = prices[Math.floor(((prices.length - 1) * percentile) / 100)] ?? initialTip;
  const tip = price > tipMax ? tipMax : price;
  known.set(store, { head, tip });
  return tip;
}

function lowestTips({ header, transactions }: Block): bigint[] {
  const baseFee = header.baseFeePerGas ?? 0n;
  return transactions
    .map((transaction) => ({ transaction, tip: effectiveGasPrice(transaction, baseFee) - baseFee }))
    .sort((a, b) => rising(a.tip, b.tip))
    .filter(({ transaction, tip }) => tip >= tipMin && senderOf(transaction) !== header.miner)
    .slice(0, pricesPerBlock)
    .map(({ tip }) => tip);
}
