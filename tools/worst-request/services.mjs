import { fileURLToPath } from 'node:url';
import { startGateway, startStorage } from '../peers/cairn.mjs';
import { createLog } from './log.mjs';

const network = new URL('../sample-network/network/', import.meta.url);
const file = (name) => fileURLToPath(new URL(name, network));

/** A third of the daily credits of an account of the free plan. */
const creditsMax = 1_000_000;

const chain = { genesis: file('genesis.json'), blocks: file('chain.rlp') };

/** Accounts of a service that take turns, so that a request of many calls leaves credits for the next one. */
const attackers = { storage: 1, gateway: 32 };

/**
 * Starts a built service whose call time limit is shorter than the wait of the search, with accounts of the free plan
 * and one of another client, the victim.
 * @param {'storage' | 'gateway'} name
 */
export async function startService(name, settings = {}) {
  const log = createLog();
  const env = { LOG_LEVEL: 'info', ...settings };
  const { onOutput } = log;
  const service =
    name === 'storage'
      ? await startStorage({ STORAGE_BLOCK_WAIT_SECONDS: '0', ...env }, { onOutput })
      : await startGateway(chain, { CAIRN_CALL_TIMEOUT_MS: '2000', ...env }, { onOutput });
  const accounts = [];
  for (let n = 0; n < attackers[name]; n++) accounts.push(await service.openAccount({ plan: 'free' }));
  const victim = await service.openAccount();
  const spent = new Map();
  /** Replaces an account that has spent most of its day, so that earlier requests do not change the cost. */
  async function charge(id, credits) {
    spent.set(id, (spent.get(id) ?? 0) + credits);
    const place = accounts.findIndex((account) => account.id === id);
    if (place !== -1 && spent.get(id) > creditsMax) accounts[place] = await service.openAccount({ plan: 'free' });
  }
  return {
    ...service,
    name,
    log,
    accounts,
    charge,
    victim,
    probe: probes[name](victim),
    isAlive: () => isAlive(service.pid),
  };
}

const probes = {
  storage: () => 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n',
  gateway({ key }) {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    return `POST /v3/${key} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  },
};

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
