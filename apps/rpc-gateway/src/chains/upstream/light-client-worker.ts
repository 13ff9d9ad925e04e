import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { hexFromBytes } from '@cairn/block-model';
import { errorText, isCairnError } from '@cairn/errors';
import { LightClient, type LightClientHeads } from '@cairn/light-client';
import type { LightClientWorkerData, LightClientWorkerEvent } from './light-client-protocol.ts';

/** Waits in milliseconds before the client starts again. */
const retryMs = { first: 2_000, longest: 60_000 } as const;

const { network, beacons, checkpoint, stateFile } = workerData as LightClientWorkerData;
const send = (event: LightClientWorkerEvent) => parentPort?.postMessage(event);

/** State of an earlier run; `undefined` if there is none or it cannot be read. */
function storedState(): string | undefined {
  try {
    return readFileSync(stateFile, 'utf8');
  } catch {
    return undefined;
  }
}

/** Replaces the state file. A crash leaves the old or the new state; a lost state costs one bootstrap. */
function storeState(text: string | undefined): void {
  if (text === undefined) return;
  try {
    mkdirSync(dirname(stateFile), { recursive: true });
    writeFileSync(`${stateFile}.new`, text);
    renameSync(`${stateFile}.new`, stateFile);
  } catch (error) {
    send({ kind: 'failed', reason: `the state cannot be written: ${errorText(error)}` });
  }
}

function createClient(state: string | undefined): LightClient {
  let storedFinal: string | undefined;
  const client: LightClient = new LightClient({
    network,
    beacons,
    checkpoint,
    state,
    onHeads({ optimistic, finalized }: LightClientHeads) {
      const final = hexFromBytes(finalized.execution.blockHash);
      const latest = hexFromBytes(optimistic.execution.blockHash);
      send({ kind: 'heads', heads: { latest, safe: final, finalized: final } });
      if (final === storedFinal) return;
      storedFinal = final;
      storeState(client.stateText);
    },
    onEvent: (event) => send({ kind: 'node', ...event }),
  });
  return client;
}

async function start(): Promise<void> {
  let state = storedState();
  for (let waitMs: number = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.longest)) {
    try {
      await createClient(state).start();
      return;
    } catch (error) {
      send({ kind: 'failed', reason: errorText(error) });
      // A stored state that cannot be used, or is too old, is replaced by the checkpoint of the networks file.
      if (!isCairnError(error, 'BEACON_UNAVAILABLE')) state = undefined;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

await start();
