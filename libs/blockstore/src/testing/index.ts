export { describeBlockstore } from './describe-blockstore.ts';
export { rawBlock } from './raw-block.ts';
