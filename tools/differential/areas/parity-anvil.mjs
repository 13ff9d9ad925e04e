import { startAnvil } from '../../peers/anvil.mjs';
import { startGateway } from '../../peers/cairn.mjs';
import { send } from '../calls/compare.mjs';
import { conformanceChain } from '../chain.mjs';
import { withoutPrecompiles } from './parity/flat.mjs';
import { asHex, program } from './traces/programs.mjs';

const sender = `0x${'a1'.repeat(20)}`;
const contracts = [1, 2, 3, 4].map((index) => `0x${'c0de'.repeat(9)}000${index}`);
const precompiles = [1, 2, 3, 4, 5, 6, 8, 9].map((at) => `0x${at.toString(16).padStart(40, '0')}`);
const absent = `0x${'ab'.repeat(20)}`;
const quantity = (value) => `0x${BigInt(value).toString(16)}`;

/** Compares trace_call of random programs with trace_transaction of anvil, which mines the same message. Needs no geth. */
export default {
  name: 'parity-anvil',
  missing: 'skipped: ../shared/conformance is missing',
  known: {
    'error of a halt':
      'revm has more words for halts: "PrecompileError", "CreateContractSizeLimit", "StateChangeDuringStaticCall".',
    'result of a failed creation':
      'anvil names the address and code of a creation that reverts, although no contract exists.',
    'result of a halt': 'Without a result the gateway returns null; anvil omits the member.',
    'suicide: action.address':
      'revm gives the zero address for a contract that a SELFDESTRUCT from Cancun on does not remove.',
    'calls that open no frame': 'revm does not report creations that fail for their depth, nonce or balance.',
  },
  async start() {
    const chain = conformanceChain();
    if (chain === undefined) return undefined;
    const anvil = await startAnvil(chain);
    const gateway = await startGateway(chain);
    await must(anvil.url, 'anvil_autoImpersonateAccount', [true]);
    // Beyond the number and the time of the head of the gateway's chain, whose forks depend on both.
    await must(anvil.url, 'anvil_mine', ['0x40', '0x3e8']);
    return { anvil, gateway, stop: () => Promise.all([anvil.stop(), gateway.stop()]) };
  },
  async *round(context, random) {
    for (let count = 0; count < 20; count++) yield await compare(context, random);
  },
};

async function must(url, method, params) {
  const { result, error } = await send(url, { method, params });
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function mined(url, hash) {
  for (let tries = 0; tries < 500; tries++) {
    if ((await must(url, 'eth_getTransactionReceipt', [hash])) !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`anvil did not mine ${hash}`);
}

async function compare({ anvil, gateway }, random) {
  const addresses = [...contracts, ...contracts, ...precompiles, absent];
  const codes = contracts.map((address) => [address, asHex(program(random, addresses))]);
  const to = random.chance(0.85) ? random.pick(contracts) : undefined;
  const call = {
    from: sender,
    ...(to !== undefined && { to }),
    gas: quantity(random.pick([60_000, 200_000, 1_000_000])),
    gasPrice: '0x0',
    ...(random.chance(0.3) && { value: quantity(random.integer(0, 9)) }),
    data: to === undefined ? asHex(program(random, addresses)) : asHex(random.bytes(random.integer(0, 40))),
  };
  const balance = quantity(10n ** 18n);
  const snapshot = await must(anvil.url, 'evm_snapshot', []);
  for (const [address, code] of codes) {
    await must(anvil.url, 'anvil_setCode', [address, code]);
    await must(anvil.url, 'anvil_setBalance', [address, '0x3e8']);
  }
  await must(anvil.url, 'anvil_setBalance', [sender, balance]);
  await must(anvil.url, 'anvil_setNextBlockBaseFeePerGas', ['0x0']);
  const sent = await send(anvil.url, { method: 'eth_sendTransaction', params: [call] });
  if (sent.error === undefined) await mined(anvil.url, sent.result);
  const theirs = sent.error ? sent : await send(anvil.url, { method: 'trace_transaction', params: [sent.result] });
  const block = await must(anvil.url, 'eth_getBlockByNumber', ['latest', false]);
  const nonce = sent.error ? '0x0' : (await must(anvil.url, 'eth_getTransactionByHash', [sent.result])).nonce;
  await must(anvil.url, 'evm_revert', [snapshot]);
  const overrides = Object.fromEntries(codes.map(([address, code]) => [address, { code, balance: '0x3e8' }]));
  const { gasPrice: _, ...message } = call;
  const environment = {
    ...{ number: block.number, time: block.timestamp, gasLimit: block.gasLimit, feeRecipient: block.miner },
    ...{ prevRandao: block.mixHash, baseFeePerGas: '0x0' },
  };
  const state = { ...overrides, [sender]: { balance, nonce } };
  const request = { method: 'trace_call', params: [message, ['trace'], 'latest', state, environment] };
  const mine = await send(gateway.url, request);
  const kind = differenceOf(mine, theirs);
  return kind === undefined ? undefined : { class: kind, request, cairn: mine, peer: theirs };
}

function differenceOf(mine, theirs) {
  // A transaction that the pool of anvil refuses has no trace.
  if (theirs.error !== undefined) return undefined;
  if (mine.error !== undefined) return 'only the gateway refuses';
  // anvil lists nested calls of precompiles, with and without value.
  const [own, other] = [withoutPrecompiles(mine.result.trace), withoutPrecompiles(theirs.result)];
  const refused = own.some(({ error }) => /^(Insufficient|Max call depth|Nonce)/.test(error ?? ''));
  if (own.length !== other.length) return refused ? 'calls that open no frame' : 'number of calls';
  for (const [index, frame] of own.entries()) {
    const kind = frameDifference(frame, other[index], index === 0);
    if (kind !== undefined) return refused && kind === 'place in the tree' ? 'calls that open no frame' : kind;
  }
  return undefined;
}

function frameDifference(mine, theirs, isOutermost) {
  if (mine.type !== theirs.type || mine.path !== theirs.path) return 'place in the tree';
  if (mine.children !== theirs.children) return 'subtraces';
  // anvil shows the gas limit and the gas used of the transaction, as geth does.
  const isGasOfTransaction = (name) => isOutermost && (name === 'gas' || name === 'gasUsed');
  for (const name of new Set([...Object.keys(mine.action), ...Object.keys(theirs.action)]))
    if (!isGasOfTransaction(name) && mine.action[name]?.toLowerCase?.() !== theirs.action[name]?.toLowerCase?.())
      return `${mine.type}: action.${name}`;
  if ((mine.error === undefined) !== (theirs.error === undefined)) return 'only one of them fails';
  if (mine.error !== theirs.error) return 'error of a halt';
  if (mine.error !== undefined && mine.error !== 'Reverted')
    return mine.result === (theirs.result ?? null) ? undefined : 'result of a halt';
  if (mine.error !== undefined && mine.type === 'create')
    return JSON.stringify(mine.result) === JSON.stringify(theirs.result) ? undefined : 'result of a failed creation';
  for (const name of Object.keys(mine.result ?? {}))
    if (!isGasOfTransaction(name) && mine.result[name]?.toLowerCase() !== theirs.result?.[name]?.toLowerCase())
      return `${mine.type}: result.${name}`;
  return undefined;
}
