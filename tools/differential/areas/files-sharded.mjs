import { fileSequences } from './kubo/file-sequences.mjs';

/** Compares sequences of `files/*` in which directories of a few entries become sharded and plain again. */
export default fileSequences({
  name: 'files-sharded',
  config: (config) => {
    config.Import = { ...config.Import, UnixFSHAMTDirectorySizeThreshold: '100B' };
  },
  settings: { STORAGE_SHARD_BYTES: '100' },
});
