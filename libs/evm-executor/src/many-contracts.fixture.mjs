// Child process that calls 100,000 contracts with different code, some of them often enough to be compiled. It receives a chain
// from its parent and sends back samples of its resident memory.
import { createMemoryState } from '@cairn/block-model/testing';

// The built package; `nx test` builds it first.
const { createEngine, executeCall } = await import(new URL('../dist/index.js', import.meta.url).href);

const contracts = 100_000;
const codeBytes = 400;
/** Every 200th contract is called often enough to be compiled. */
const hotOneOf = 200;
const hotCalls = 100;
/** Contracts that share one state object. */
const contractsPerState = 1000;

const addressOf = (number) => `0x${number.toString(16).padStart(40, 'c')}`;

/** Repeats JUMPDEST, PUSH1 1, POP and then returns the contract's own address. */
function codeOf(number) {
  return `0x${'5b600150'.repeat(codeBytes / 4 - 7)}73${addressOf(number).slice(2)}5f5260205ff3`;
}

process.once('message', async ({ spec, header }) => {
  const engine = createEngine('compiled');
  const used = [];
  for (let first = 0; first < contracts; first += contractsPerState) {
    const numbers = Array.from({ length: contractsPerState }, (_, index) => first + index);
    const accounts = Object.fromEntries(numbers.map((number) => [addressOf(number), { code: codeOf(number) }]));
    const place = { spec, header, state: createMemoryState(accounts), blockHashes: () => undefined, engine };
    for (const number of numbers) {
      const call = { to: addressOf(number), gas: 100_000n };
      const expected = `0x${call.to.slice(2).padStart(64, '0')}`;
      for (let times = number % hotOneOf === 0 ? hotCalls : 1; times > 0; times--) {
        const result = await executeCall({ ...place, call });
        if (result.output !== expected) throw new Error(`${call.to} gave ${result.output ?? result.reason}`);
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
    used.push(process.memoryUsage().rss);
  }
  process.send({ used });
  process.disconnect();
});
