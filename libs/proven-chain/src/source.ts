export { openProvenSource, type ProvenSource, type ProvenSourceOptions } from './proven-source.ts';
