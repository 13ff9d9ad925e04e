// Hot path of eth_getLogs: the row of tools/bench/peers.mjs. log-texts.spec.ts compares it with logsOf.
import type { Header } from '@cairn/block-model';
import { dividedCache } from '../divided-cache.ts';
import { type LogFilter, matches } from './log-filter.ts';
import { hasLogs, type LogReader, logJson } from './logs-of.ts';

/** Serialized logs of a block in order; empty where a log was not requested yet. */
type Texts = string[];

/** Characters of serialized logs in memory, over all networks. A block's share counts as if all its logs were serialized. */
const charactersMax = 16 * 1024 * 1024;
/** Characters of a log without its data and topics, and of its entry. */
const fixedCharacters = 500;

/** By block hash: a block determines its logs. */
const cache = dividedCache<Texts>({ charactersMax });

/**
 * Serializes the logs of a block that match a filter. Serialized logs are kept, since clients repeat wide ranges.
 * @param countMax number of logs above which the rest of the block is left out
 */
export function logTextsOf(filter: LogFilter, reader: LogReader, header: Header, countMax: number): string[] {
  if (!hasLogs(header)) return [];
  const receipts = reader.receipts(header.hash) ?? [];
  let texts = cache().get(header.hash);
  const found: string[] = [];
  let logIndex = 0;
  let characters = 0;
  const isNew = texts === undefined;
  texts ??= [];
  for (let transactionIndex = 0; transactionIndex < receipts.length; transactionIndex++) {
    for (const log of receipts[transactionIndex]?.logs ?? []) {
      const at = logIndex++;
      if (isNew) characters += fixedCharacters + log.data.length + 66 * log.topics.length;
      if (!matches(filter, log)) continue;
      const text =
        texts[at] ??
        JSON.stringify(logJson({ log, header, transactionIndex, logIndex: at }, reader.block(header.hash)));
      texts[at] = text;
      if (found.push(text) > countMax) return found;
    }
  }
  if (isNew && characters > 0 && characters <= charactersMax) cache().set(header.hash, texts, { size: characters });
  return found;
}
