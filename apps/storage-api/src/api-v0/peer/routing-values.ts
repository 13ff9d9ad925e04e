import { isCairnError } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { fileArgument } from '../file-argument.ts';
import { endLines, writeLine } from '../write.ts';
import { peerLimits } from './limits.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';
import { type PeerId, parsePeerId } from './peer-id.ts';
import { queryEventTypes } from './query-events.ts';

/** Key of a record. */
interface RecordKey {
  readonly bytes: Uint8Array;
  readonly name: PeerId;
}

/** `routing/get`: returns the best record of a key. */
export const routingGet = definePeerCommand({
  name: 'routing/get',
  scope: 'read',
  options: {},
  args: { name: 'key', min: 1, max: 1 },
  offline: offlineAnswers.action,
  isQuery: true,
  async run({ peer, args, response, signal, within }) {
    const { bytes } = parseRecordKey(args[0] ?? '');
    const record = await within(async (bound) => {
      try {
        return await peer.routing.get(bytes, { signal: bound });
      } catch (error) {
        throw isCairnError(error, 'RECORD_NOT_FOUND') ? new ApiError(500, 'routing: not found') : error;
      }
    });
    const Extra = Buffer.from(record).toString('base64');
    await writeLine(response, { ID: '', Type: queryEventTypes.value, Responses: null, Extra }, signal);
    endLines(response);
  },
});

/** `routing/put`: stores a signed record, which the peer verifies. */
export const routingPut = definePeerCommand({
  name: 'routing/put',
  scope: 'add',
  options: { 'allow-offline': { kind: 'boolean', default: false } },
  args: { name: 'key', min: 1, max: 1 },
  file: 'value-file',
  offline: offlineAnswers.put,
  isQuery: true,
  async run({ peer, args, request, response, signal, within }) {
    const { recordBytesMax: bytesMax } = peerLimits;
    const value = await fileArgument(request, { name: 'value-file', bytesMax, signal });
    const text = args[0] ?? '';
    // A name without /ipns/ is parsed first, as in Kubo, and refused as a key.
    const named = parsePeerId(text.replace(/^\/ipns\//, ''));
    const { bytes } = parseRecordKey(text);
    await within((bound) => peer.routing.put(bytes, value, { signal: bound }));
    await writeLine(response, { ID: named.text, Type: queryEventTypes.value, Responses: null, Extra: '' }, signal);
    endLines(response);
  },
});

/** Parses `/ipns/<name>` or `/pk/<peer ID>`: the kind as text, then the bytes of the name. @throws ApiError 400 */
function parseRecordKey(text: string): RecordKey {
  const [, kind, id] = /^\/(ipns|pk)\/([^/]*)$/.exec(text) ?? [];
  if (kind === undefined || id === undefined) throw new ApiError(400, 'invalid key');
  const name = parsePeerId(id);
  return { bytes: Buffer.concat([Buffer.from(`/${kind}/`), name.multihash]), name };
}
