import { bytesToHex, createAddressFromPrivateKey, eoaCode7702SignAuthorization, hexToBytes } from '@ethereumjs/util';
import { startGateway } from '../../peers/cairn.mjs';
import { startGeth } from '../../peers/geth.mjs';
import { conformanceChain } from '../chain.mjs';
import { crashed, difference, overflowed, send, timedOut } from './compare.mjs';
import { createRequests } from './requests.mjs';

const casesPerRound = 40;
/** Last block of that chain. */
const head = 54;

/** Creates an area that sends requests of some methods to the gateway and to geth with a gas cap. */
export function callArea({ name, methods, gasCap, known }) {
  return {
    name,
    peer: 'geth',
    known: {
      [crashed.class]: 'Cairn applies the rules, or refuses with a reason.',
      [timedOut.class]: 'Cairn ends an access list after 32 rounds; on a busy machine, geth gives up long simulations.',
      [overflowed.class]: 'Cairn compares the fee cap with the base fee of the request, and refuses the call.',
      ...known,
    },
    async start() {
      const chain = conformanceChain();
      const geth = chain && (await startGeth({ ...chain, gasCap }));
      if (geth === undefined) return undefined;
      const gateway = await startGateway(chain);
      const facts = await factsOf(chain, geth.url, await blocksOfLimit(geth.url, gasCap / 10));
      return { geth, gateway, facts, stop: () => Promise.all([geth.stop(), gateway.stop()]) };
    },
    async *round({ geth, gateway, facts }, random) {
      const next = createRequests(random, facts);
      const requests = Array.from({ length: casesPerRound }, () => next(methods));
      const answers = await Promise.all(
        requests.map((request) => Promise.all([send(gateway.url, request), send(geth.url, request)])),
      );
      for (const [at, [cairn, peer]] of answers.entries()) {
        const found = difference(requests[at], cairn, peer);
        yield found === undefined ? undefined : { class: found, request: requests[at], cairn, peer };
      }
    },
  };
}

/** Facts of a chain for random requests. @param cappedBlocks blocks on which calls may omit gas */
export async function factsOf(chain, url, cappedBlocks) {
  const chainId = BigInt((await send(url, { method: 'eth_chainId', params: [] })).result);
  return { chainId, head, cappedBlocks, ...accountsOf(chain), ...signers(chainId, chain.accounts[4]) };
}

/** Blocks with that gas limit: only there both servers have the same cap for calls without gas. */
async function blocksOfLimit(url, gasLimit) {
  const found = new Set();
  for (let number = 0; number <= head; number++) {
    const params = [`0x${number.toString(16)}`, false];
    const { result } = await send(url, { method: 'eth_getBlockByNumber', params });
    if (Number(result.gasLimit) === gasLimit) found.add(number);
  }
  return found;
}

/** Genesis accounts: system contracts, two plain contracts, and accounts with funds. */
function accountsOf({ accounts }) {
  const contracts = accounts.filter((address) => /^0x(0000|7dcd|8dcd)/i.test(address));
  return { contracts, accounts: accounts.filter((address) => !contracts.includes(address)) };
}

/** Authorities and authorizations: valid, of any chain, of another chain, with other nonces, and with a broken signature. */
function signers(chainId, target) {
  const keys = [1, 2, 3].map((n) => hexToBytes(`0x${n.toString(16).padStart(64, '0')}`));
  const authorities = keys.map((key) => createAddressFromPrivateKey(key).toString());
  const authorizations = keys.flatMap((key) =>
    [
      { chainId: `0x${chainId.toString(16)}`, address: target, nonce: '0x0' },
      { chainId: '0x0', address: authorities[1], nonce: '0x0' },
      { chainId: '0x0', address: `0x${'00'.repeat(20)}`, nonce: '0x0' },
      { chainId: '0x1', address: target, nonce: '0x0' },
      { chainId: '0x0', address: target, nonce: '0x1' },
    ].map((item) => signed(item, key)),
  );
  const [first] = authorizations;
  const broken = [
    { ...first, s: first.r },
    { ...first, yParity: '0x5' },
    { ...first, r: `0x${'f'.repeat(64)}` },
    { ...first, nonce: '0xffffffffffffffff' },
  ];
  return { authorities, authorizations: [...authorizations, ...broken] };
}

/** @returns the authorization as JSON with quantities, which have no leading zeros */
function signed(item, key) {
  const [yParity, r, s] = eoaCode7702SignAuthorization(item, key).slice(3).map(quantityOf);
  return { ...item, yParity, r, s };
}

// An empty list of bytes stands for 0.
const quantityOf = (bytes) => `0x${BigInt(`0x0${bytesToHex(bytes).slice(2)}`).toString(16)}`;
