export { DecodeError, InvalidItemError } from './errors.ts';
export { decodeRlp, encodeRlp, encodeRlpList, type RlpItem, rlpLimits, rlpPrefixLength } from './rlp.ts';
export { type RlpSpan, rlpSpanAt, viewOfBytes, wholeRlpSpan } from './span.ts';
