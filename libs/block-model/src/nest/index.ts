export { ParseBlockHashPipe } from './parse-block-hash.pipe.ts';
