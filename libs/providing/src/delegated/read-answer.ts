import { routerAnswerInvalid } from '../errors.ts';
import { limits } from '../limits.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the records of an answer of Delegated Routing V1: a JSON object with one list, or one record per line. Stops reading at
 * the limits of bytes and records.
 */
export async function* readRecords(
  response: Response,
  list: 'Providers' | 'Peers',
  router: string,
): AsyncGenerator<Fields> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  // No records: 404 of servers before IPIP-513, and 200 with a text of later ones.
  if (response.status === 404 || (response.status === 200 && type === 'text/plain'))
    return void response.body?.cancel();
  if (response.status !== 200) {
    await response.body?.cancel();
    throw routerAnswerInvalid(router, `the status is ${response.status}`);
  }
  let count = 0;
  if (type === 'application/x-ndjson') {
    for await (const line of readLines(response, router)) {
      const record = parseObject(line, router);
      if (count++ >= limits.answerRecordsMax) return;
      yield record;
    }
    return;
  }
  if (type !== 'application/json') {
    await response.body?.cancel();
    throw routerAnswerInvalid(router, `the content type is ${type ?? 'absent'}`);
  }
  const records = parseObject(await readText(response, router), router)[list] ?? [];
  if (!Array.isArray(records)) throw routerAnswerInvalid(router, `${list} is not a list`);
  for (const record of records.slice(0, limits.answerRecordsMax)) if (isObject(record)) yield record;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string, router: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw routerAnswerInvalid(router, error instanceof Error ? error.message : 'no JSON');
  }
  if (!isObject(value)) throw routerAnswerInvalid(router, 'a record is not an object');
  return value;
}

async function* readLines(response: Response, router: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of readParts(response, router)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > limits.lineCharactersMax) throw routerAnswerInvalid(router, 'a line is too long');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

async function readText(response: Response, router: string): Promise<string> {
  const parts: string[] = [];
  for await (const part of readParts(response, router)) parts.push(part);
  return parts.join('');
}

async function* readParts(response: Response, router: string): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes > limits.answerBytesMax)
        throw routerAnswerInvalid(router, `the answer has more than ${limits.answerBytesMax} bytes`);
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel().catch(() => {});
  }
}
