import {
  bytesFromHex,
  decodePooledTransaction,
  InvalidValueError,
  parseData,
  senderOf,
  type Transaction,
} from '@cairn/block-model';
import { errorText } from '@cairn/errors';
import { callFromTransaction } from '@cairn/evm-executor';
import { type ParamDefinition, RawJson, RpcError } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';
import { define } from '../define.ts';
import type { CallExecutor } from '../execution/call-executor.ts';
import { messageJob } from '../execution/message-job.ts';
import { traced, traceTypesParam } from './trace-params.ts';

const rawTransactionParam = {
  name: 'transaction',
  summary: 'a signed transaction, as eth_sendRawTransaction takes it.',
  schema: paramSchemas.bytes,
  parse(field: string, value: unknown): Transaction {
    const raw = bytesFromHex(parseData(field, value));
    try {
      const { transaction } = decodePooledTransaction(raw);
      senderOf(transaction);
      return transaction;
    } catch (error) {
      throw new InvalidValueError(field, `a signed transaction (${errorText(error)})`, value);
    }
  },
} satisfies ParamDefinition<Transaction>;

export const traceRawTransaction = (executor: CallExecutor) =>
  define({
    name: 'trace_rawTransaction',
    summary: 'Traces a signed transaction on the newest state, in the format of Parity, and does not send it.',
    params: [rawTransactionParam, traceTypesParam],
    result: 'An object with output, stateDiff, trace and vmTrace; parts that are not selected are empty.',
    ...traced,
    reveals: {
      contracts: ([{ to }]) => [to ?? undefined],
      overrides: () => [],
    },
    async handle([transaction, options], context) {
      const { chainId } = context.chain.reader;
      if (transaction.chainId !== undefined && transaction.chainId !== chainId)
        throw new RpcError(
          'server',
          `invalid chain id for signer: have ${transaction.chainId} want ${chainId}. Sign the transaction for this network.`,
        );
      const message = messageJob(context, callFromTransaction(transaction));
      const job = { kind: 'traceCall' as const, ...message, options, isTransaction: true };
      return new RawJson((await executor.runByTime(context, 'trace_rawTransaction', job)).json);
    },
  });
