import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exchange, multipart } from './exchange.ts';
import { basic, Service } from './service.ts';

/** A request, and the response of Kubo 0.42. */
interface Step {
  readonly path: string;
  readonly parts?: readonly { name: string; filename: string; contentType?: string; text: string }[];
  readonly status: number;
  /** Absent where only status and length are compared: archives, and the lines of `add`. */
  readonly body?: string;
  readonly trailer?: string;
  readonly length?: string;
}

const service = new Service();
const stepsOf = (name: string): Step[] =>
  readFileSync(new URL(`./vectors/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** JSON lines as values, since Go escapes other characters; any other body as text. */
const valuesOf = (body: string): unknown => {
  const lines = body.split('\n').filter((line) => line !== '');
  try {
    return lines.map((line) => JSON.parse(line));
  } catch {
    return body;
  }
};

beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
});
afterAll(() => service.remove());

async function answer({ path, parts }: Step) {
  const form = parts && multipart(parts.map(({ text, ...part }) => ({ ...part, bytes: Buffer.from(text) })));
  const headers = { authorization: basic('ann'), ...form?.headers };
  return await exchange(`${service.url}/api/v0/${path}`, { headers, ...(form && { body: form.body }) });
}

// Each recording ran on an empty repository, its steps in order.
describe.each(['kubo-files', 'kubo-reading'])(
  'Each recording ran on an empty repository, its steps in order.',
  (name) => {
    test.each(stepsOf(name).map((step) => [step.path, step] as const))(
      '%s gets the response of Kubo',
      async (_, step) => {
        const { status, headers, trailers, body } = await answer(step);
        expect({ status, trailer: trailers['x-stream-error'] }).toEqual({ status: step.status, trailer: step.trailer });
        if (step.status === 200) expect(headers['x-content-length']).toBe(step.length);
        if (step.body !== undefined) expect(valuesOf(body.toString())).toEqual(valuesOf(step.body));
      },
    );
  },
);
