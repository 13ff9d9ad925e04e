/** Steps whose response differs by design, by scenario: the number of the step, and the reason. */
const byDesign: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'wrong requests': {
    13: 'Answers are JSON whatever encoding is asked for.',
    14: 'Answers are JSON whatever encoding is asked for.',
    18: 'Kubo ends a request with a wrong timeout without an answer; here it is refused.',
    27: 'Words of the parser of a broken multipart body.',
  },
  'dag/get and dag/resolve': { 12: 'Kubo sends status 200 before it encodes; here a value without a form is refused.' },
  'dag/put': {
    11: 'Words of the parser of broken dag-cbor.',
    16: 'Kubo sends status 200 without a value for truncated JSON; here it is refused.',
    24: 'Words of the parser of a broken CID.',
  },
  'files/cp and files/mv': {
    23: 'Kubo loses a directory that is moved into itself (step 20); here it stays.',
    24: 'Kubo loses a directory that is moved into itself (step 20); here it stays.',
  },
  refs: { 21: 'Kubo holds an empty directory of its own.' },
  'name/put': { 18: 'An offline Kubo stores a record of another name; here every record is verified.' },
  'name/resolve': { 1: 'ProtocolVersion is what older clients read.' },
};

/** Reason why a step may differ; undefined for one that must agree. */
export function reasonOf(scenario: string, step: number): string | undefined {
  return byDesign[scenario]?.[step];
}
