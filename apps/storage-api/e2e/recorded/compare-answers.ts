import type { Exchange } from '../exchange.ts';
import type { RecordedResponse } from './scenarios.ts';

/** Any value: the recorded one is specific to one machine. */
const any = '<any>';

/** Parses consecutive JSON values, each on its own lines. */
export function jsonValues(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line));
}

/** Lists the relevant differences between a recorded response and one of the service. */
export function compareAnswers(wanted: RecordedResponse, answer: Exchange): string[] {
  const text = answer.body.toString();
  // Bad arguments have status 400 here, with Kubo's message: see the README of the service.
  if (answer.status === 400 && wanted.status === 500) return compareRefusals(wanted, text);
  if (answer.status !== wanted.status) return [`status ${answer.status}, not ${wanted.status}: ${text.slice(0, 200)}`];
  const found = Object.entries(wanted.headers).flatMap(([name, value]) => {
    // A trailer of the recording may be among its headers.
    const actual = answer.headers[name] ?? answer.trailers[name] ?? '';
    return value === any || name === 'allow' || actual === value ? [] : [`${name} ${String(actual)}, not ${value}`];
  });
  if (wanted.compare === 'status') return found;
  return [...found, ...compareBodies(wanted, answer)];
}

function compareRefusals(wanted: RecordedResponse, text: string): string[] {
  const [ours, theirs] = [jsonValues(text)[0], wanted.json?.[0]].map((value) => Object(value).Message);
  return ours === theirs ? [] : [`refused with ${String(ours)}, not ${String(theirs)}`];
}

function compareBodies({ json, text, base64, unordered }: RecordedResponse, { body }: Exchange): string[] {
  if (json !== undefined) {
    const got = jsonValues(body.toString());
    const difference = unordered ? differ(ordered(json), ordered(got), 'body') : differ(json, got, 'body');
    return difference === undefined ? [] : [difference];
  }
  if (text !== undefined && text !== any && body.toString() !== text)
    return [`text ${JSON.stringify(body.toString().slice(0, 200))}, not ${JSON.stringify(text.slice(0, 200))}`];
  return base64 !== undefined && body.toString('base64') !== base64 ? ['other bytes'] : [];
}

/** Returns the first place at which two JSON values differ. */
function differ(wanted: unknown, got: unknown, at: string): string | undefined {
  if (wanted === any) return undefined;
  if (typeof wanted !== 'object' || wanted === null || typeof got !== 'object' || got === null)
    return wanted === got ? undefined : `${at}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`;
  const [keys, wantedKeys] = [got, wanted].map((value) => Object.keys(value).sort().join());
  if (keys !== wantedKeys) return `${at}: ${keys}, not ${wantedKeys}`;
  const values = new Map<string, unknown>(Object.entries(got));
  for (const [key, value] of Object.entries(wanted)) {
    const difference = differ(value, values.get(key), `${at}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Returns the same value with all lists sorted. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, ordered(item)]));
}

/** Sorts names whose values differ between machines. */
function keyOf(value: unknown): string {
  const isKey = typeof value === 'object' && value !== null && 'Name' in value && 'Id' in value;
  return JSON.stringify(isKey ? value.Name : value);
}
