export { describeBlockstore } from './describe-blockstore.ts';
export { describeCollectable } from './describe-collectable.ts';
export { rawBlock } from './raw-block.ts';
