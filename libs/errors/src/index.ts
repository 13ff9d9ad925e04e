export { boundedJson } from './bounded-json.ts';
export { CairnError, type CairnErrorOptions } from './cairn-error.ts';
export { errorChain, errorText } from './error-chain.ts';
export { isCairnError } from './is-cairn-error.ts';
