import { fileSequences } from './kubo/file-sequences.mjs';

/** Compares sequences of `files/*` with the default settings of both servers. */
export default fileSequences({ name: 'files' });
