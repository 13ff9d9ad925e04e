const peers = 'needs other peers: this service stores, and does not talk to a network';
const jsOnly = 'an option of js-ipfs that Kubo does not have';
const defaults = 'js-ipfs sets a mode where none is asked for; Kubo sets none, since it would change CIDs';
const removed = 'needs object/get, which Kubo removed';
const unixfsOnly = 'Kubo since 0.36 takes only UnixFS into a file tree';

const skip = (reason, ...names) => names.map((name) => ({ name, reason }));

/** Tests of the suite that are not run, each with its reason, by suite. */
export const exceptions = {
  root: [
    ...skip(
      removed,
      'should add with only-hash=true',
      'should add from a URL with only-hash=true',
      'should add a directory with only-hash=true',
      'should add a file with only-hash=true',
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
  block: [],
  dag: [
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
      peers,
      'should have protocols property',
      'should return swarm ports opened after startup',
      'should get the id of another node in the swarm',
      '.stop',
      'should resolve an IPNS DNS link',
      'should resolve IPNS link recursively by default',
      'should resolve IPNS link non-recursively if recursive==false',
    ),
    ...skip('tells the version of js-ipfs', 'should include the interface-ipfs-core version'),
    ...skip('Kubo removed the command dns', '.dns'),
  ],
};
