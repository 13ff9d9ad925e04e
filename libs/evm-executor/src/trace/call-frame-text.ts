// Hot path of callTracer: the rows debug_traceTransaction of tools/bench/peers.mjs. Text is written without objects in between.
// call-frame-text.spec.ts compares it with JSON of the plain form, frameFieldsToJson.
import { quantity } from '@cairn/block-model';
import type { CallFrame, FrameLog } from './call-frames.ts';

/** A frame with its calls as JSON, with the fields in the order of geth. Hexadecimal values need no escapes. */
export function callFrameText(frame: CallFrame): string {
  const { kind, from, gas, gasUsed, to, input, output, error, revertReason, logs, value, calls } = frame;
  let text = `{"from":"${from}","gas":"${quantity(gas)}","gasUsed":"${quantity(gasUsed)}"`;
  if (to !== undefined) text += `,"to":"${to}"`;
  text += `,"input":"${input}"`;
  if (output !== '0x') text += `,"output":"${output}"`;
  if (error !== undefined) text += `,"error":${JSON.stringify(error)}`;
  if (revertReason !== undefined && revertReason !== '') text += `,"revertReason":${JSON.stringify(revertReason)}`;
  if (logs.length > 0) text += `,"logs":${listText(logs, logText)}`;
  if (value !== undefined) text += `,"value":"${quantity(value)}"`;
  if (calls.length > 0) text += `,"calls":${listText(calls, callFrameText)}`;
  return `${text},"type":"${kind}"}`;
}

function listText<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`;
  return `[${text}]`;
}

function logText({ address, topics, data, index, position }: FrameLog): string {
  const topicList = listText(topics, (topic) => `"${topic}"`);
  return `{"address":"${address}","topics":${topicList},"data":"${data}","index":"${quantity(index)}","position":"${quantity(position)}"}`;
}
