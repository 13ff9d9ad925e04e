import { InvalidRecordError } from './errors.ts';
import { nameOfRoutingKey } from './ipns-name.ts';
import { verifyIpnsRecord } from './ipns-record.ts';
import { selectIpnsRecord } from './select-record.ts';

/**
 * Validator of the namespace `ipns` for a DHT, in the form that `@libp2p/kad-dht` takes (`validators: { ipns }`).
 * @throws IPNS_RECORD_INVALID
 */
export async function ipnsValidator(key: Uint8Array, value: Uint8Array): Promise<void> {
  const name = nameOfRoutingKey(key);
  if (name === undefined)
    throw new InvalidRecordError('its key is not /ipns/ and a name', {
      words: 'name is not a valid IPNS name',
      stage: 'verify',
    });
  verifyIpnsRecord(name, value);
}

/** Selector of the namespace `ipns` for a DHT (`selectors: { ipns }`): the index of the newest record. */
export function ipnsSelector(_key: Uint8Array, values: readonly Uint8Array[]): number {
  return selectIpnsRecord(values);
}
