import { hexFromBytes } from '@cairn/block-model';
import type { CallEngine, EngineMessage, EngineOutcome } from './call-engine.ts';
import type { WorldState } from './state/world-state.ts';

/** A difference between the results of two engines. */
export interface EngineDifference {
  readonly message: EngineMessage;
  /** Field that differs: `kind`, `output`, `gasUsed`, `gasRefund`, `logs`, `destroyed`, or an account or slot. */
  readonly field: string;
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/**
 * Creates an engine that runs every message on two engines and reports differences in result, gas, logs and state. It returns the
 * result of the second one. Messages run three times, so that it serves tests and investigations.
 */
export function createCompareEngine(
  one: CallEngine,
  other: CallEngine,
  onDifference: (difference: EngineDifference) => void,
): CallEngine {
  return {
    name: `compare ${one.name} with ${other.name}`,
    async run(message) {
      const [first, second] = [await rehearse(one, message), await rehearse(other, message)];
      // A place that one engine did not write has its previous value there.
      const before = placesOf(message.world);
      for (const field of new Set([...first.keys(), ...second.keys()])) {
        const [mine, theirs] = [first.get(field) ?? before.get(field), second.get(field) ?? before.get(field)];
        if (mine !== theirs) onDifference({ message, field, one: mine, other: theirs });
      }
      return other.run(message);
    },
  };
}

/** Runs a message and reverts it. */
async function rehearse(engine: CallEngine, message: EngineMessage): Promise<Map<string, string>> {
  const { world } = message;
  world.checkpoint();
  try {
    const outcome = await engine.run(message);
    return new Map([...fieldsOf(outcome), ...placesOf(world)]);
  } finally {
    world.revert();
  }
}

function fieldsOf({ kind, output, gasUsed, gasRefund, logs, destroyed }: EngineOutcome): [string, string][] {
  return [
    ['kind', kind],
    ['output', hexFromBytes(output)],
    ['gasUsed', String(gasUsed)],
    ['gasRefund', String(gasRefund)],
    ['logs', JSON.stringify(logs)],
    ['destroyed', destroyed.map(hexFromBytes).sort().join()],
  ];
}

/** Current values of accounts and slots that were ever written. */
function placesOf(world: WorldState): Map<string, string> {
  const places = new Map<string, string>();
  for (const { address, account, slots } of world.changes()) {
    const name = hexFromBytes(address);
    places.set(name, account ? `${account.nonce} ${account.balance} ${hexFromBytes(account.codeHash)}` : 'absent');
    for (const [slot, value] of slots) places.set(`${name} ${hexFromBytes(slot)}`, hexFromBytes(value));
  }
  return places;
}
