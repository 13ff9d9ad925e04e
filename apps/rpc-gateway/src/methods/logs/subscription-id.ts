import { cannotUnmarshal, InvalidValueError, jsonKind } from '@cairn/block-model';

/** Reads the id of a subscription or filter; `null` is the empty text, as in geth. @throws VALUE_INVALID */
export function parseSubscriptionId(field: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidValueError(field, 'an id in a text', value, cannotUnmarshal(jsonKind(value), 'rpc.ID'));
}
