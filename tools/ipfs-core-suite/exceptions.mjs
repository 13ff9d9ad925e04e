const noNames = 'needs keys or IPNS names';
const bootstrapSetting = 'bootstrap addresses are a setting of the IPFS peer, which the refusal names';
const jsOnly = 'an option of js-ipfs that Kubo does not have';
const defaults = 'js-ipfs sets a mode where none is asked for; Kubo sets none, since it would change CIDs';
const removed = 'needs object/get, which Kubo removed';
const unixfsOnly = 'Kubo since 0.36 takes only UnixFS into a file tree';

const preserved = 'Kubo keeps the mode and time of a part only with preserve-mode and preserve-mtime';
const noMetadata = 'Kubo takes neither mode nor mtime in files/mkdir and files/write';
const oneSource = 'Kubo copies one source, and into a directory only where its path ends with a slash';
const treeOnly = 'Kubo takes paths under /ipfs in files/cp and files/stat only';
const ownNaming = 'a file that is there keeps its CID version in Kubo, whatever the options ask for';
const mtimes = ['mtime as Date', 'mtime as { nsecs, secs }', 'mtime as timespec', 'mtime as hrtime'];

const skip = (reason, ...names) => names.map((name) => ({ name, reason }));

/** Skipped tests of the suite with their reasons, by suite. */
export const exceptions = {
  root: [
    ...skip("Kubo answers in the words of Go's parser for a chunker", 'should error during add-all stream'),
    ...skip(
      'ls of Kubo prints Mode and ModTime, which this client does not read',
      'should ls with metadata',
      'should ls single file with metadata',
      'should ls single file without containing directory with metadata',
    ),
    ...skip('a path through a file is refused in other words since Kubo 0.12', 'should error on unknown path'),
    ...skip(
      removed,
      'should add with only-hash=true',
      'should add from a URL with only-hash=true',
      'should add a directory with only-hash=true',
      'should add a file with only-hash=true',
    ),
    ...skip(
      preserved,
      'should add with mode as string',
      'should add with mode as number',
      'should add with mtime as Date',
      'should add with mtime as { nsecs, secs }',
      'should add with mtime as timespec',
      'should add with mtime as hrtime',
      'should override raw leaves when file is smaller than one block and metadata is present',
      'should add directories with metadata',
      'should ls with metadata',
      'should ls single file with metadata',
      'should ls single file without containing directory with metadata',
    ),
    ...skip(
      'its fixture .hiddenTest.txt is in no release',
      'should add a hidden file in a directory from the file system',
    ),
    ...skip(
      'a part of a body is known to be complete when the next one begins, which this test waits for',
      'should support bidirectional streaming',
    ),
  ],
  block: skip('Kubo 0.42 names a missing block in other words', 'should error when removing non-existent blocks'),
  dag: [
    ...skip('Kubo 0.42 names a missing block in other words', 'should import car with roots but no blocks'),
    ...skip(
      'Kubo prints the rest of a path with its slash',
      'should resolve a path inside a cbor node',
      'should resolve a path inside a cbor node by CID',
      'should resolve a multi-node path inside a cbor node',
      'should resolve a multi-node path inside a cbor node by CID',
    ),
    ...skip('Kubo names what dag/put stores with version 1 always', 'should get a node added as CIDv0 with a CIDv1'),
  ],
  pin: [
    ...skip(jsOnly, 'should list pins with metadata'),
    ...skip(
      'needs a remote pinning service',
      '.pin.remote.service',
      '.pin.remote.add',
      '.pin.remote.ls',
      '.pin.remote.rm',
      '.pin.remote.rmAll',
    ),
  ],
  files: [
    ...skip(
      noMetadata,
      'should update the mode for a directory',
      'should update the mode for a hamt-sharded-directory',
      'should update modes with basic symbolic notation that overrides bits',
      'should update modes with special symbolic notation',
      'should apply special execute permissions to world',
      'should apply special execute permissions to user',
      'should apply special execute permissions to user and group',
      'should respect metadata when copying files',
      'should respect metadata when copying directories',
      'should respect metadata when copying from outside of mfs',
      ...['mode as string', 'mode as number', ...mtimes].map((name) => `should make directory and specify ${name}`),
      'should stat file with mtime',
      'should stat dir with mtime',
      'should update the mtime for a hamt-sharded-directory',
      ...['mode as a string', 'mode as a number', ...mtimes].map((name) => `should write file and specify ${name}`),
    ),
    ...skip(
      oneSource,
      'refuses to copy multiple files to a non-existent child directory',
      'copies a file to a pre-existing directory',
      'copies multiple files to new location',
      'copies a sharded directory to a normal directory',
      'copies a normal directory to a sharded directory',
    ),
    ...skip(treeOnly, 'lists a raw node', 'lists a raw node in an mfs directory', 'should read from outside of mfs'),
    ...skip('files/touch of Kubo makes no file', 'should create an empty file'),
    ...skip(
      ownNaming,
      'overwrites a file with a different CID version',
      'partially overwrites a file with a different CID version',
    ),
    ...skip(
      'UnixFS does not write a mode of 0, so it is not there to be read',
      'should update modes with basic symbolic notation that removes bits',
    ),
    ...skip(
      `shardSplitThreshold is ${jsOnly}`,
      'should apply special execute permissions to sharded directories',
      'results in the same hash as a sharded directory created by the importer when removing a file',
      'results in the same hash as a sharded directory created by the importer when removing a subshard',
      'results in the same hash as a sharded directory created by the importer when removing a file from a subshard of a subshard',
      'results in the same hash as a sharded directory created by the importer when removing a subshard of a subshard',
      'should stat sharded dir with mode',
      'should stat sharded dir with mtime',
    ),
    ...skip(
      unixfsOnly,
      'refuses to copy files to an unreadable node',
      'stats a dag-cbor node',
      'stats an identity CID',
    ),
    ...skip(
      defaults,
      'should make directory and have default mode',
      'should stat file with mode',
      'should stat dir with mode',
    ),
    ...skip('paths of Kubo have no escapes', 'writes a small file with an escaped slash in the title'),
  ],
  repo: [],
  miscellaneous: [
    ...skip(
      noNames,
      'should resolve an IPNS DNS link',
      'should resolve IPNS link recursively by default',
      'should resolve IPNS link non-recursively if recursive==false',
    ),
    ...skip('a shared service is not stopped by its accounts', '.stop'),
    ...skip('tells the version of js-ipfs', 'should include the interface-ipfs-core version'),
    ...skip('Kubo removed the command dns', '.dns'),
  ],
  swarm: skip('this client sets latency always', 'should list peers this node is connected to'),
  dht: skip(
    'each test waits for dht/query, which Kubo has deprecated and the service refuses; node-commands.e2e.ts has routing',
    '.dht.put',
    '.dht.get',
    '.dht.findPeer',
    '.dht.provide',
    '.dht.findProvs',
    '.dht.query',
    'disabled',
  ),
  bitswap: [
    ...skip('Kubo no longer sends ProvideBufLen', 'should get bitswap stats'),
    ...skip(
      'needs reads of remote blocks that wait beyond STORAGE_BLOCK_WAIT_SECONDS',
      '.bitswap.wantlist',
      '.bitswap.wantlistForPeer',
      'transfer blocks',
    ),
  ],
  ping: skip(
    'the error is in the trailer, which this client does not read',
    'should fail when pinging a peer that is not available',
  ),
  bootstrap: skip(
    bootstrapSetting,
    'should return a list containing the bootstrap peer when called with a valid arg (ip4)',
    'should prevent duplicate inserts of bootstrap peers',
    'add a peer to the bootstrap list',
    'should return a list containing the peer removed when called with a valid arg (ip4)',
    'should return a list of all peers removed when all option is passed',
    'should return a list of bootstrap peers when resetting the bootstrap nodes',
    'removes a peer from the bootstrap list',
  ),
  stats: skip('Kubo no longer sends ProvideBufLen', 'should get bitswap stats'),
  key: skip('this client sends the key in the query; Kubo takes it as a file', 'should import an exported key'),
  name: skip('needs the DNS of the internet; names.e2e.ts resolves DNSLink', '.name.resolve dns'),
};
