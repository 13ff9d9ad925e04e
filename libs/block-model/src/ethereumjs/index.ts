export { type CommonOptions, commonFromChainSpec } from './common.ts';
export { kzg } from './kzg.ts';
