import { CairnError } from '@cairn/errors';

export type LightClientErrorCode =
  | 'LIGHT_CLIENT_CONFIG_INVALID'
  | 'CHECKPOINT_INVALID'
  | 'CHECKPOINT_TOO_OLD'
  | 'UPDATE_INVALID'
  | 'BEACON_ANSWER_INVALID'
  | 'BEACON_UNAVAILABLE';

/** Error of this package. Messages name beacon nodes by host, since a URL may contain a key. */
export class LightClientError extends CairnError<LightClientErrorCode> {}

/** Error for an update that breaks a rule of the specification. */
export function updateInvalid(reason: string): LightClientError {
  return new LightClientError('UPDATE_INVALID', `The light client update is not valid: ${reason}.`);
}

/** Error for an answer of a beacon node with another shape than the Beacon API defines. */
export function beaconAnswerInvalid(reason: string): LightClientError {
  return new LightClientError('BEACON_ANSWER_INVALID', `The answer of the beacon node is not valid: ${reason}.`);
}
