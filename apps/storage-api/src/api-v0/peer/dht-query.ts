import { ApiError } from '../api-error.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';
import { parsePeerId } from './peer-id.ts';

/** `dht/query`, which Kubo has deprecated. */
export const dhtQuery = definePeerCommand({
  name: 'dht/query',
  scope: 'read',
  options: { verbose: { kind: 'boolean', alias: 'v' } },
  args: { name: 'peerID', min: 1, max: 1 },
  offline: offlineAnswers.noDht,
  async run({ args }) {
    parsePeerId(args[0] ?? '');
    throw new ApiError(500, 'dht/query is refused: Kubo has deprecated it. Use routing/findpeer.');
  },
});
