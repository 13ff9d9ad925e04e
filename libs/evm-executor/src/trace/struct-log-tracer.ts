// Steps are serialized immediately: a step object is valid during its callback only, and text is smaller than objects.

import { hexFromBytes } from '@cairn/block-model';
import type { EngineStep } from '@cairn/evm';
import { gasBudgetExceeded, op } from '@cairn/evm';
import { bytesFromHexDigits, hexDigitsFromBytes } from '@cairn/platform';
import type { AppliedMessage } from '../apply-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

/** geth's default tracer: lists every step with gas, stack, memory and storage. */
export class StructLogTracer implements TransactionTracer {
  readonly #options: TracerOptions<'structLog'>;
  readonly #lightCharactersMax: number;
  readonly #steps: string[] = [];
  #characters = 0;
  readonly #storage = new Map<string, Map<string, string>>();

  constructor(options: TracerOptions<'structLog'>, lightCharactersMax = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#lightCharactersMax = lightCharactersMax;
  }

  onStep(step: EngineStep): void {
    const { limit, enableMemory, enableReturnData, disableStack, disableStorage } = this.#options;
    if (limit !== 0 && this.#characters > limit) return;
    const { pc, name, gas, gasCost, depth, error, returnData, opcode, refund } = step;
    let text = `{"pc":${pc},"op":"${name}","gas":${gas},"gasCost":${gasCost},"depth":${depth}`;
    if (error !== undefined) text += `,"error":${escaped(error)}`;
    if (!disableStack) text += `,"stack":[${step.stack.map((item) => `"0x${item.toString(16)}"`).join(',')}]`;
    if (enableReturnData && returnData.length > 0) text += `,"returnData":"${hexFromBytes(returnData)}"`;
    if (enableMemory && step.memory.length > 0) text += `,"memory":[${words(step.memory)}]`;
    if (!disableStorage && (opcode === op.SLOAD || opcode === op.SSTORE)) text += this.#storageText(step);
    if (refund > 0n) text += `,"refund":${refund}`;
    this.#push(`${text}}`);
  }

  #push(text: string): void {
    this.#characters += text.length;
    if (this.#characters > this.#lightCharactersMax) throw gasBudgetExceeded;
    if (this.#characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
    this.#steps.push(text);
  }

  /** JSON text of all slots of the account that code has accessed so far. */
  #storageText({ opcode, stack, address, world }: EngineStep): string {
    const slot = stack.at(-1);
    if (slot === undefined || (opcode === op.SSTORE && stack.length < 2)) return '';
    const account = hexFromBytes(address);
    const known = this.#storage.get(account) ?? new Map<string, string>();
    this.#storage.set(account, known);
    const key = word(slot);
    const value =
      opcode === op.SLOAD
        ? hexDigitsFromBytes(world.getStorage(address, bytesFromHexDigits(key)))
        : stack.at(-2)?.toString(16);
    known.set(key, (value ?? '').padStart(64, '0'));
    return `,"storage":{${[...known].map(([name, held]) => `"0x${name}":"0x${held}"`).join(',')}}`;
  }

  result({ outcome, gasUsed }: AppliedMessage): string {
    const failed = outcome.kind !== 'success';
    const output = hexFromBytes(outcome.kind === 'halt' ? new Uint8Array(0) : outcome.output);
    return `{"gas":${gasUsed},"failed":${failed},"returnValue":"${output}","structLogs":[${this.#steps.join(',')}]}`;
  }
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function words(memory: Uint8Array): string {
  const text = hexDigitsFromBytes(memory);
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += 64) parts.push(`"0x${text.slice(at, at + 64).padEnd(64, '0')}"`);
  return parts.join(',');
}

/** JSON text with Go's escapes, since `limit` counts characters of geth's output. */
function escaped(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
