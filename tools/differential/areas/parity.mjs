import { startGateway } from '../../peers/cairn.mjs';
import { startGeth } from '../../peers/geth.mjs';
import { send } from '../calls/compare.mjs';
import { conformanceChain } from '../chain.mjs';
import { traceDifference } from './parity/flat.mjs';
import { stateDiffDifference } from './parity/state-diff.mjs';
import { vmTraceDifference } from './parity/vm-trace.mjs';
import { callRequest } from './traces/requests.mjs';

/** Compares trace_call of random programs with the tracers of geth that hold the same facts: flatCallTracer, prestateTracer, steps. */
export default {
  name: 'parity',
  peer: 'geth',
  known: {
    'a run over the time limit': 'The gateway limits a call to 5 seconds, which a busy machine may exceed.',
    'a trace beyond the limit': 'The gateway refuses more than 64 Mi characters.',
    'vmTrace: missing REVERT': 'Before Byzantium REVERT is no opcode. geth shows the step, the format does not.',
  },
  async start() {
    const chain = conformanceChain();
    const geth = chain && (await startGeth({ ...chain, gasCap: 0 }));
    if (geth === undefined) return undefined;
    const gateway = await startGateway(chain);
    const { result } = await send(geth.url, { method: 'eth_blockNumber', params: [] });
    const stop = () => Promise.all([geth.stop(), gateway.stop()]);
    return { geth, gateway, accounts: chain.accounts, heads: Number(result), stop };
  },
  async *round(context, random) {
    for (let index = 0; index < 20; index++) {
      const { method, params } = callRequest(random, context);
      if (method !== 'debug_traceCall' || params[2].txIndex !== undefined) continue;
      const [call, block, { stateOverrides, blockOverrides }] = params;
      yield await compare(context, { call, block, stateOverrides, blockOverrides });
    }
  },
};

async function compare({ geth, gateway }, { call, block, stateOverrides, blockOverrides = null }) {
  const types = ['trace', 'stateDiff', 'vmTrace'];
  const request = { method: 'trace_call', params: [call, types, block, stateOverrides, blockOverrides] };
  const cairn = await send(gateway.url, request);
  const peer = await tracesOfGeth(geth.url, call, block, {
    stateOverrides,
    blockOverrides: blockOverrides ?? undefined,
  });
  const kind = differenceOf(cairn, peer);
  return kind === undefined ? undefined : { class: kind, request, cairn, peer };
}

/** Traces of geth by tracer, or its error. */
async function tracesOfGeth(url, call, block, overrides) {
  const ask = (config) => send(url, { method: 'debug_traceCall', params: [call, block, { ...config, ...overrides }] });
  const flatConfig = { includePrecompiles: true, convertParityErrors: true };
  const flat = await ask({ tracer: 'flatCallTracer', tracerConfig: flatConfig });
  const diff = await ask({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } });
  const steps = await ask({ enableMemory: true });
  const { error } = [flat, diff, steps].find((each) => each.error !== undefined) ?? {};
  return { error, flat: flat.result, diff: diff.result, steps: steps.result };
}

function differenceOf(cairn, peer) {
  if (/^execution timeout|ran longer than/.test(cairn.error?.message ?? '')) return 'a run over the time limit';
  if (cairn.error?.code === -32005) return 'a trace beyond the limit';
  if (cairn.error !== undefined || peer.error !== undefined)
    return cairn.error !== undefined && peer.error !== undefined ? undefined : 'only one of them refuses the call';
  const { trace, stateDiff, vmTrace, output } = cairn.result;
  if (output !== peer.steps.returnValue) return `output ${peer.steps.failed ? 'of a failure' : ''}`;
  return (
    traceDifference(trace, peer.flat) ??
    stateDiffDifference(stateDiff, peer.diff) ??
    vmTraceDifference(vmTrace, peer.steps.structLogs)
  );
}
