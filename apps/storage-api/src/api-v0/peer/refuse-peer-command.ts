import { ApiError } from '../api-error.ts';
import { definePeerCommand, offlineAnswers, type PeerCommandDefinition } from './peer-command.ts';

/** Defines a command that a key with the grant `node` is refused with a reason. */
export function refusePeerCommand(
  name: string,
  args: PeerCommandDefinition['args'],
  reason: string,
): PeerCommandDefinition {
  return definePeerCommand({
    name,
    scope: 'read',
    grant: 'node',
    options: {},
    args,
    offline: offlineAnswers.command,
    async run() {
      throw new ApiError(500, `${name} is refused: ${reason}`);
    },
  });
}
