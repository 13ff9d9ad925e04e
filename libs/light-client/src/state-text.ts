import { hexDigitsFromBytes } from '@cairn/platform';
import { LightClientError } from './errors.ts';
import type { LightClientHeader, LightClientState, SyncCommittee } from './light-client-data.ts';
import type { BeaconNetwork } from './network.ts';
import { parseCommittee, parseHeader } from './parse-beacon.ts';

/** Layout of the text. Another version is refused. */
const version = 1;

/** The state as JSON text, to be stored and restored by {@link parseState}. It has the names of the Beacon API. */
export function stateText(network: BeaconNetwork, state: LightClientState): string {
  return JSON.stringify({
    version,
    genesis_validators_root: network.genesisValidatorsRoot,
    finalized_header: headerJson(state.finalizedHeader),
    optimistic_header: headerJson(state.optimisticHeader),
    current_sync_committee: committeeJson(state.currentSyncCommittee),
    ...(state.nextSyncCommittee && { next_sync_committee: committeeJson(state.nextSyncCommittee) }),
    previous_max_participants: state.previousMaxParticipants,
    current_max_participants: state.currentMaxParticipants,
  });
}

/**
 * Parses a stored state. The text is trusted: it must come from {@link stateText} of the same deployment.
 * @throws LIGHT_CLIENT_CONFIG_INVALID
 */
export function parseState(network: BeaconNetwork, text: string): LightClientState {
  const refuse = (reason: string) =>
    new LightClientError('LIGHT_CLIENT_CONFIG_INVALID', `The stored light client state is not usable: ${reason}.`, {
      hint: 'Remove it and start from a checkpoint.',
    });
  try {
    const value = JSON.parse(text);
    if (value.version !== version) throw refuse(`its version is ${value.version}, expected ${version}`);
    if (value.genesis_validators_root !== network.genesisValidatorsRoot) throw refuse('it belongs to another chain');
    const committee = (name: string) => parseCommittee(value[name], name, network.committeeSize);
    return {
      finalizedHeader: parseHeader(value.finalized_header, 'finalized_header'),
      optimisticHeader: parseHeader(value.optimistic_header, 'optimistic_header'),
      currentSyncCommittee: committee('current_sync_committee'),
      nextSyncCommittee: value.next_sync_committee === undefined ? undefined : committee('next_sync_committee'),
      previousMaxParticipants: Number(value.previous_max_participants),
      currentMaxParticipants: Number(value.current_max_participants),
    };
  } catch (error) {
    if (error instanceof LightClientError && error.code === 'LIGHT_CLIENT_CONFIG_INVALID') throw error;
    throw refuse('it is not complete');
  }
}

const hexOf = (bytes: Uint8Array) => `0x${hexDigitsFromBytes(bytes)}`;

function committeeJson({ pubkeys, aggregatePubkey }: SyncCommittee): object {
  return { pubkeys: pubkeys.map(hexOf), aggregate_pubkey: hexOf(aggregatePubkey) };
}

function headerJson({ beacon, execution, executionBranch }: LightClientHeader): object {
  return { beacon: snakeCase(beacon), execution: snakeCase(execution), execution_branch: executionBranch.map(hexOf) };
}

/** Fields with the names and formats of the Beacon API: hex for bytes, decimal text for numbers. */
function snakeCase(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value instanceof Uint8Array ? hexOf(value) : String(value),
      ]),
  );
}
