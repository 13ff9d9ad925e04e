import type { Hex } from '@cairn/block-model';
import { alice } from './test-chain.fixture.ts';

const callsPerRound = 6_000;
const rounds = 5;
const token: Hex = `0x${'c0'.repeat(20)}`;
/** Tests four selectors, then reads `balances[address]` with KECCAK256 and SLOAD, as solc compiles it. */
const code: Hex =
  '0x5f3560e01c806306fdde0314602c57806318160ddd14602c57806323b872dd14602c576370a08231146030575b5f5ffd5b6004355f525f60205260405f20545f5260205ff3';

/** State with an ERC-20 contract. */
export const tokenAccounts = { [token]: { code } };

/** Call of balanceOf for the holder with a number. */
export const balanceOf = (holder: number) => ({
  from: alice,
  to: token,
  data: `0x70a08231${holder.toString(16).padStart(64, '0')}` as Hex,
});

/**
 * Prints calls per second and processor time per call (of all threads; less affected by other processes).
 * @param clients number of concurrent calls
 */
export async function measure(
  name: string,
  call: (holder: number) => Promise<{ readonly kind: string }>,
  clients: number,
): Promise<void> {
  const rates: number[] = [];
  const cpuMicroseconds: number[] = [];
  let holder = 0;
  for (let round = 0; round < rounds; round++) {
    const end = holder + callsPerRound;
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (holder < end) {
          const { kind } = await call(holder++);
          if (kind !== 'success') throw new Error(`${name}: ${kind}`);
        }
      }),
    );
    const { user, system } = process.cpuUsage(cpuStart);
    // The first round warms up.
    if (round === 0) continue;
    rates.push(Math.round((callsPerRound / (performance.now() - start)) * 1_000));
    cpuMicroseconds.push((user + system) / callsPerRound);
  }
  const range = (values: readonly number[], digits: number) =>
    `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
  console.log(`${name.padEnd(36)} ${range(rates, 0)} calls/s, ${range(cpuMicroseconds, 1)} µs of processor time`);
}
