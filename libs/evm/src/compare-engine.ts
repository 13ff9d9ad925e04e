import { hexFromBytes } from '@cairn/block-model';
import type { CallEngine, EngineMessage, EngineOutcome } from './call-engine.ts';
import type { WorldState } from './state/world-state.ts';

/** Two engines have come to different ends. */
export interface EngineDifference {
  readonly message: EngineMessage;
  /** What differs: `kind`, `output`, `gasUsed`, `gasRefund`, `logs`, `destroyed`, or an account or slot by its name. */
  readonly field: string;
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/**
 * Runs every message on both engines and tells where result, gas, logs or state differ. What the second one comes to is
 * what counts. Three times the work: for doubt and for tests.
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
      // A place that only one of them has written is for the other as it was before.
      const before = placesOf(message.world);
      for (const field of new Set([...first.keys(), ...second.keys()])) {
        const [mine, theirs] = [first.get(field) ?? before.get(field), second.get(field) ?? before.get(field)];
        if (mine !== theirs) onDifference({ message, field, one: mine, other: theirs });
      }
      return other.run(message);
    },
  };
}

/** Runs a message and takes it back. */
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

/** Accounts and slots that have been written at any time, as they are now. */
function placesOf(world: WorldState): Map<string, string> {
  const places = new Map<string, string>();
  for (const { address, account, slots } of world.changes()) {
    const name = hexFromBytes(address);
    places.set(name, account ? `${account.nonce} ${account.balance} ${hexFromBytes(account.codeHash)}` : 'absent');
    for (const [slot, value] of slots) places.set(`${name} ${hexFromBytes(slot)}`, hexFromBytes(value));
  }
  return places;
}
