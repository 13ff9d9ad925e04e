import { shared } from './compare.mjs';

/** Differences that stay, by class. */
export const known = {
  ...shared,
  'dag/get: status 400, not 200': 'Kubo sends status 200 before it encodes, and the error of the codec as a trailer.',
  'dag/get: trailer on one side': 'Kubo cannot encode a dag-pb node without data as dag-pb.',
  'dag/get: bytes of body': 'Kubo writes a dag-pb node without data as dag-cbor that does not decode.',
  'dag/import: status 400, not 200': 'Kubo takes a CAR that ends behind the length of a block for a whole one.',
  'dag/import: 400 for 500, other words': 'Words of the parsers of Go for damaged CARs.',
  'dag/stat: trailer on one side': 'Kubo divides by zero where all blocks are empty.',
};
