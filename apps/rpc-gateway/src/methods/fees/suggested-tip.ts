import { type Block, effectiveGasPrice, type Hex, senderOf } from '@cairn/block-model';
import type { Chain } from '../../chains/chain.ts';
import { readAll } from '../read-all.ts';

// geth's gas price oracle (v1.17.5, eth/gasprice/gasprice.go) with the settings of a full node. geth carries its last price from head
// to head. Here each head starts from the initial price, so that all processes return the same result.

const blocksWanted = 20;
const percentile = 60;
/** Most prices from one block; the lowest ones count. */
const pricesPerBlock = 3;
/** Wei per gas. */
const tipMin = 2n;
const tipMax = 500_000_000_000n;
const initialTip = 1_000_000n;

const rising = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** Cache of the last result for each chain. */
const cached = new WeakMap<object, { readonly head: Hex; readonly tip: bigint }>();

/** Suggests a tip in wei per gas: the 60th percentile of the lowest tips of the newest blocks. */
export function suggestedTip({ network, reader }: Pick<Chain, 'network' | 'reader'>): bigint {
  const { hash: head, number } = reader.head;
  const last = cached.get(network);
  if (last?.head === head) return last.tip;
  // Read together first: a network with upstreams fetches them in one round.
  const newest = Array.from({ length: Math.min(blocksWanted, Number(number)) }, (_, index) => number - BigInt(index));
  readAll(
    readAll(newest, (height) => reader.hashByNumber(height)),
    (hash) => hash && reader.block(hash),
  );
  const prices: bigint[] = [];
  let blocksRead = Math.min(blocksWanted, Number(number));
  for (let index = 0; index < blocksRead; index++) {
    const hash = reader.hashByNumber(number - BigInt(index));
    const block = hash && reader.block(hash);
    const found = block ? lowestTips(block) : [];
    prices.push(...(found.length === 0 ? [initialTip] : found));
    // A block with at most one price carries little information: one more block is read for it, up to twice as many.
    const left = blocksRead - index - 1;
    const isThin = found.length <= 1 && prices.length + left < blocksWanted * 2;
    if (isThin && BigInt(blocksRead) < number) blocksRead++;
  }
  prices.sort(rising);
  const price = prices[Math.floor(((prices.length - 1) * percentile) / 100)] ?? initialTip;
  const tip = price > tipMax ? tipMax : price;
  cached.set(network, { head, tip });
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
