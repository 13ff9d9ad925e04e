import { createHash } from 'node:crypto';
import { readCar } from '@cairn/dag';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createGateway, type Gateway, type GatewayResponse } from './index.ts';
import { hasRecords, type RecordedCase, recordedCases, recordedOptions } from './recorded.fixture.ts';

if (!hasRecords) console.log('skipped: the gateway exchanges of ../shared/conformance are not here');
const describeRecords = hasRecords ? describe : describe.skip;

/**
 * Answers of Kubo that a specification does not allow: an entity tag without quotes (RFC 9110, 8.8.3), and the status 200 for a
 * CAR whose root is missing (https://specs.ipfs.tech/http-gateways/trustless-gateway/#404-not-found).
 */
const exceptions: ReadonlySet<string> = new Set(['extra/ipns record head', 'extra/car of missing block']);

const mainFields = [
  'content-type',
  'location',
  'etag',
  'content-range',
  'cache-control',
  'content-disposition',
  'x-ipfs-path',
  'x-ipfs-roots',
];

/** Fields that a case compares: those that the suite checks, else the main ones. */
function fieldsOf({ checks, source, response }: RecordedCase): readonly string[] {
  if (source === 'kubo') {
    // Kubo's 304 leaves out fields that RFC 9110 (15.4.5) requires.
    if (response.status === 304) return mainFields.filter((name) => name !== 'etag' && name !== 'cache-control');
    return response.status < 400 ? mainFields : ['location'];
  }
  return checks.flatMap((check) =>
    check.startsWith('Header_') ? [check.slice(7).replace(/#\d+$/, '').toLowerCase()] : [],
  );
}

function pattern(text: string | undefined): RegExp {
  const parts = (text ?? '').split('<any>').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

async function bytesOf({ body }: GatewayResponse): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  if (body !== undefined) for await (const bytes of body) parts.push(bytes);
  return Buffer.concat(parts);
}

describeRecords('exchanges recorded from Kubo', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = createGateway(await recordedOptions());
  });

  const cases = hasRecords ? recordedCases() : [];
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, recorded) => {
    const { request, response: wanted, checks, source } = recorded;
    if (exceptions.has(recorded.name)) return;
    const { method, url: target, headers, host } = request;
    const response = await gateway.handle({ method, target, headers, host: host ?? '127.0.0.1:8080' });
    const hasChecks = source === 'kubo' || checks.length > 0;
    if (!hasChecks) return expect(Math.floor(response.status / 100)).toBe(Math.floor(wanted.status / 100));
    expect(response.status).toBe(wanted.status);
    for (const name of fieldsOf(recorded).filter((field) => !field.startsWith('access-control-')))
      expect(`${name}: ${response.headers[name] ?? ''}`).toMatch(pattern(`${name}: ${wanted.headers[name] ?? ''}`));
    const comparesBody = method !== 'HEAD' && (source === 'kubo' || checks.includes('Body'));
    if (comparesBody) await compareBody(wanted.body, await bytesOf(response));
  });
});

async function compareBody(wanted: RecordedCase['response']['body'], body: Buffer): Promise<void> {
  if (wanted.generated) {
    for (const text of wanted.contains ?? []) expect(body.toString()).toContain(text);
  } else if (wanted.car !== undefined) {
    const found: string[] = [];
    for await (const { cid } of (await readCar(body)).blocks) found.push(cid.toString());
    expect(found).toEqual(wanted.car.blocks);
  } else if (wanted.tar === undefined && wanted.sha256 !== undefined) {
    expect(createHash('sha256').update(body).digest('hex')).toBe(wanted.sha256);
  }
}
