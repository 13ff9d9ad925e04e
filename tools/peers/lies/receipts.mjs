// Lies about receipts and their logs.
import { flipped } from './state.mjs';

const methods = ['eth_getBlockReceipts'];
const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;

const ofList = (change) => (result, call, memory) =>
  Array.isArray(result) && result.length > 0 ? change(structuredClone(result), call, memory) : result;
/** Changes the first receipt with logs. */
const ofFirst = (change) =>
  ofList((list) => {
    const at = Math.max(
      0,
      list.findIndex(({ logs }) => logs.length > 0),
    );
    return list.map((receipt, index) => (index === at ? { ...receipt, ...change(receipt) } : receipt));
  });
const ofLogs = (change) => ofFirst(({ logs }) => ({ logs: change(logs) }));
const firstLog = (change) =>
  ofLogs((logs) => logs.map((log, index) => (index === 0 ? { ...log, ...change(log) } : log)));

export const receiptLies = [
  { name: 'no receipts', result: ofList(() => []) },
  { name: 'omitted receipt', result: ofList((list) => list.slice(1)) },
  { name: 'repeated receipt', result: ofList((list) => [...list, list[0]]) },
  { name: 'reordered receipts', result: ofList((list) => (list.length > 1 ? list.toReversed() : [])) },
  { name: 'receipts of another block', result: ofList((list, call, memory) => memory.other(call) ?? list.slice(1)) },
  { name: 'omitted log', result: ofLogs((logs) => logs.slice(1)) },
  {
    name: 'all logs omitted, with an empty bloom',
    result: ofList((list) => list.map((receipt) => ({ ...receipt, logs: [], logsBloom: zeros(256) }))),
  },
  { name: 'invented log', result: ofLogs((logs) => [...logs, logs[0]]) },
  { name: 'reordered logs', result: ofLogs((logs) => (logs.length > 1 ? logs.toReversed() : [])) },
  { name: 'log of another contract', result: firstLog(() => ({ address: `0x${'ee'.repeat(20)}` })) },
  { name: 'log with other data', result: firstLog(({ data }) => ({ data: flipped(data) })) },
  { name: 'log with another topic', result: firstLog(() => ({ topics: [zeros(32)] })) },
  { name: 'log with five topics', result: firstLog(() => ({ topics: new Array(5).fill(zeros(32)) })) },
  { name: 'log without topics', result: firstLog(() => ({ topics: undefined })) },
  { name: 'log is null', result: ofLogs((logs) => [null, ...logs]) },
  { name: 'failed instead of succeeded', result: ofFirst(() => ({ status: '0x0' })) },
  { name: 'state root instead of a status', result: ofFirst(() => ({ root: zeros(32) })) },
  { name: 'other gas', result: ofFirst(() => ({ cumulativeGasUsed: '0x1' })) },
  { name: 'other type', result: ofFirst(() => ({ type: '0x2' })) },
  { name: 'type of no transaction', result: ofFirst(() => ({ type: '0x7f' })) },
  {
    name: 'type of a deposit',
    result: ofFirst(() => ({ type: '0x7e', depositNonce: '0x1', depositReceiptVersion: '0x1' })),
  },
  { name: 'bloom of another receipt', result: ofFirst(() => ({ logsBloom: zeros(256) })) },
  { name: 'bloom of a wrong length', result: ofFirst(() => ({ logsBloom: '0x00' })) },
  { name: 'receipts in an object', result: ofList((list) => ({ ...list, length: list.length })) },
  { name: 'null receipts', result: ofList((list) => list.map(() => null)) },
  {
    name: '300,000 logs',
    isProvable: undefined,
    result: ofLogs((logs) => new Array(300_000).fill({ ...logs[0], data: '0x' })),
  },
  { name: 'log data of 8 MiB', isProvable: undefined, result: firstLog(() => ({ data: `0x${'00'.repeat(8 << 20)}` })) },
  { name: 'withheld receipts', isProvable: false, result: ofList(() => null) },
].map((lie) => ({ methods, ...lie }));
