import { fileSequences } from './kubo/file-sequences.mjs';

/** Sequences of `files/*` with the settings that both servers have by themselves. */
export default fileSequences({ name: 'files' });
