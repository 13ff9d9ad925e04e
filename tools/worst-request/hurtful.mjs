/** Genes of a form for commands with a body. */
const plainForm = {
  partBytes: 0,
  content: 'zeros',
  naming: 'flat',
  depth: 1,
  partType: 'application/octet-stream',
  step: '0',
};

/**
 * Requests that were expensive once, or might be. The search begins with them, and the bench repeats each over eight
 * connections.
 */
export const hurtful = {
  storage: [
    {
      name: 'files/write',
      genes: { shape: 'raw', count: 1, partBytes: 1, content: 'zeros', '--create': true, '--offset': 2 ** 30 },
    },
    { name: 'add', genes: { partBytes: 100_000, content: 'counter', '--chunker': 'size-1' } },
    { name: 'add', genes: { parts: 100_000, partBytes: 1, content: 'noise', naming: 'flat' } },
    { name: 'add', genes: { partBytes: 16_000_000, content: 'zeros', '--chunker': 'rabin-16-32-64' } },
    { name: 'dag/put', genes: { shape: 'integers', count: 1_900_000, isShaped: true, '--input-codec': 'dag-cbor' } },
    { name: 'dag/get', genes: { shape: 'integers', count: 1_900_000 } },
    { name: 'refs', genes: { shape: 'integers', count: 1_900_000, args: 8 } },
    { name: 'refs', genes: { shape: 'pbEmptyLinks', count: 1_000_000 } },
    { name: 'dag/import', genes: { shape: 'raw', count: 4, roots: 100_000 } },
    { name: 'dag/stat', genes: { shape: 'shortLinks', count: 259_774 } },
    { name: 'cat', genes: { shape: 'file', count: 2_000_000 } },
    { name: 'dag/export', genes: { shape: 'emptyFile', count: 614_300 } },
    { name: 'pin/rm', genes: { shape: 'pbShortLinks', count: 2_000_000, steps: 3, step: '000000' } },
    {
      name: 'object/patch/add-link',
      genes: { shape: 'pbLinks', count: 57_522, steps: 1, step: 'name', '--allow-non-unixfs': true },
    },
    { name: 'object/patch/rm-link', genes: { shape: 'directory', count: 493_997, steps: 1, step: '000000' } },
    { name: 'pin/ls', genes: { pins: 3_000, shape: 'emptyLists', count: 5_570, isNamed: true } },
    { name: 'pin/verify', genes: { pins: 3_000 } },
    { name: 'block/rm', genes: { shape: 'keys', count: 416, '--force': true } },
    { name: 'repo/verify', genes: { pins: 3_000 } },
    { name: 'repo/gc', genes: { pins: 3_000 } },
  ].map(({ name, genes }) => ({ name, genes: { ...plainForm, ...genes } })),
  gateway: [
    { name: 'eth_simulateV1', genes: { program: 'none', blocks: 256, calls: 0, block: 'latest' } },
    { name: 'debug_traceCall', genes: { program: 'loop', size: 0, input: 'empty', inputSize: 0, block: 'latest' } },
    {
      name: 'eth_getBlockTransactionCountByHash',
      genes: { encoding: 'gzip', junk: 'keys', junkSize: 4_000_000, junkAt: 0 },
    },
    { name: 'body', genes: { junk: 'zeros', junkSize: 5_000_000, place: 'params' } },
    { name: 'body', genes: { junk: 'objects', junkSize: 5_000_000, place: 'params', door: 'socket' } },
    { name: 'body', genes: { junk: 'numberIds', junkSize: 60_000, place: 'whole' } },
    {
      name: 'eth_call',
      genes: { batch: 1_000, isVaried: true, program: 'loop', size: 0, input: 'empty', inputSize: 0, gas: '0x61a8' },
    },
    {
      name: 'eth_call',
      genes: { times: 900, program: 'loop', size: 0, input: 'empty', inputSize: 0, gas: '0x61a8' },
    },
    {
      name: 'eth_call',
      genes: { times: 900, door: 'socket', program: 'loop', size: 0, input: 'empty', inputSize: 0, gas: '0x61a8' },
    },
    { name: 'eth_call', genes: { times: 900, door: 'socket', isPlain: true, method: 1, isVaried: true } },
    { name: 'eth_call', genes: { batch: 1_000, isVaried: true, isPlain: true, method: 1 } },
    { name: 'rpc.discover', genes: { batch: 1_000 } },
    { name: 'eth_getProof', genes: { batch: 70, isVaried: true, own: true, slots: 1_024 } },
  ],
};
