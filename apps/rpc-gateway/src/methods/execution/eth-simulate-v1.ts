import { errorText, isCairnError } from '@cairn/errors';
import { type CallRejectionCode, countSimulated, parseSimulation, type SimulationErrorCode } from '@cairn/evm-executor';
import { RawJson, RpcError, type RpcErrorName } from '@cairn/jsonrpc-core';
import { creditsPerSimulatedBlock, creditsPerSimulatedCall } from '@cairn/metering';
import { optionalBlockIdParam } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';
import { requireHeader } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { onceIn } from '../handle-over-upstreams.ts';
import type { CallExecutor } from './call-executor.ts';

/** JSON-RPC codes of failed simulations. eth_simulateV1 has codes of its own where calls return -32000. */
const names: ReadonlyMap<string, RpcErrorName> = new Map(
  Object.entries({
    SIMULATION_EMPTY: 'params',
    SIMULATION_TOO_LONG: 'tooManyBlocks',
    SIMULATION_NUMBER_INVALID: 'blockNumberOrder',
    SIMULATION_TIME_INVALID: 'blockTimeOrder',
    SIMULATION_GAS_EXCEEDED: 'blockGasLimit',
    SIMULATION_SYSTEM_CALL_FAILED: 'server',
    CALL_NONCE_TOO_LOW: 'nonceTooLow',
    CALL_NONCE_TOO_HIGH: 'nonceTooHigh',
    CALL_NONCE_SPENT: 'internal',
    CALL_FEE_BELOW_BASE: 'baseFeeTooLow',
    CALL_FEES_MIXED: 'server',
    CALL_FEE_INVALID: 'params',
    CALL_GAS_TOO_LOW: 'intrinsicGas',
    CALL_GAS_BELOW_FLOOR: 'internal',
    CALL_GAS_TOO_HIGH: 'internal',
    CALL_BLOCK_GAS_EXCEEDED: 'internal',
    CALL_SENDER_HAS_CODE: 'internal',
    CALL_FUNDS_INSUFFICIENT: 'insufficientFunds',
    CALL_INITCODE_TOO_LARGE: 'initCodeTooLarge',
    CALL_BLOBS_INVALID: 'internal',
    CALL_AUTHORIZATIONS_INVALID: 'internal',
    CALL_CHAIN_ID_MISMATCH: 'server',
  } as const satisfies Record<SimulationErrorCode | CallRejectionCode, RpcErrorName>),
);

/** Price in credits, without the gas. */
function priceOf({ blocks, calls }: { readonly blocks: number; readonly calls: number }): number {
  return blocks * creditsPerSimulatedBlock + calls * creditsPerSimulatedCall;
}

export const ethSimulateV1 = (executor: CallExecutor) =>
  define({
    name: 'eth_simulateV1',
    summary:
      'Executes hypothetical blocks of transactions after a block, with overrides of state and block fields. At most 256 blocks and 50 million gas in one request.',
    params: [
      {
        name: 'payload',
        summary:
          'blockStateCalls, a list of blocks with calls, stateOverrides and blockOverrides; traceTransfers; validation; returnFullTransactions.',
        schema: paramSchemas.object,
        parse: (field: string, value: unknown) => parseSimulation(value, field),
      },
      optionalBlockIdParam,
    ],
    result: 'The blocks as eth_getBlockByHash returns them, each with the results of its calls.',
    errors: [
      'server',
      'nonceTooLow',
      'nonceTooHigh',
      'baseFeeTooLow',
      'intrinsicGas',
      'insufficientFunds',
      'blockGasLimit',
      'blockNumberOrder',
      'blockTimeOrder',
      'initCodeTooLarge',
      'tooManyBlocks',
    ],
    cost: 200,
    surcharge: `and ${creditsPerSimulatedBlock} for each block, including those between given numbers, and ${creditsPerSimulatedCall} for each call`,
    reveals: {
      contracts: ([{ blocks }]) => blocks.flatMap(({ calls = [] }) => calls.map(({ to }) => to)),
      overrides: ([{ blocks }]) => blocks.map(({ stateOverrides }) => stateOverrides),
    },
    async handle([simulation, id], context) {
      const header = requireHeader(context, id ?? { tag: 'latest' });
      const job = { kind: 'simulate' as const, chain: context.chain.network.name, blockHash: header.hash, simulation };
      try {
        const counts = countSimulated(header, simulation);
        await onceIn(context, 'credits', () => context.meter.takeMore('eth_simulateV1', priceOf(counts)));
        return new RawJson((await executor.run(context, 'eth_simulateV1', job)).json);
      } catch (error) {
        const name = isCairnError(error) ? names.get(error.code) : undefined;
        throw name === undefined ? error : new RpcError(name, errorText(error));
      }
    },
  });
