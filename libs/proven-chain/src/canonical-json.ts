import { answerInvalid } from '@cairn/upstream';

/** Nesting of blocks and receipts is below 10. */
const depthMax = 32;

/**
 * Text that is equal for equal JSON values: sorted keys, hex digits in lower case. Nodes order and write them differently.
 * @throws UPSTREAM_ANSWER_INVALID for deep nesting
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > depthMax) throw answerInvalid('the answer is nested too deeply');
  if (typeof value === 'string') return JSON.stringify(/^0x[0-9a-f]*$/i.test(value) ? value.toLowerCase() : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join()}]`;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`).join()}}`;
}
