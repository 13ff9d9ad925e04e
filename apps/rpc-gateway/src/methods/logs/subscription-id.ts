import { cannotUnmarshal, InvalidValueError, jsonKind } from '@cairn/block-model';

/** Parses the id of a subscription or filter; `null` is the empty string, as in geth. @throws VALUE_INVALID */
export function parseSubscriptionId(field: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidValueError(field, 'an id as a string', value, cannotUnmarshal(jsonKind(value), 'rpc.ID'));
}
