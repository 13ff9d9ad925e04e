import { shared } from './compare.mjs';

/** Accepted differences by class. */
export const known = {
  ...shared,
  'dag/get: status 400, not 200': 'Kubo sends status 200 before it encodes, and the error of the codec as a trailer.',
  'dag/get: trailer on one side': 'Kubo cannot encode a dag-pb node without data as dag-pb.',
  'dag/get: bytes of body': 'Kubo writes a dag-pb node without data as dag-cbor that does not decode.',
  'dag/import: status 400, not 200': 'Kubo accepts a CAR that ends after the length of a block.',
  'dag/import: 400 for 500, other words': 'Kubo returns the error text of Go’s parsers for damaged CARs.',
  'dag/stat: trailer on one side': 'Kubo divides by zero where all blocks are empty.',
};
