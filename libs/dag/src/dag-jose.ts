import { CID } from '@cairn/cid';
import { base64UrlFromBytes, bytesFromBase64 } from '@cairn/platform';
import * as dagCbor from '@ipld/dag-cbor';

/**
 * DAG-JOSE (https://ipld.io/specs/codecs/dag-jose/): signed and encrypted objects of JOSE (RFC 7515, RFC 7516) as dag-cbor.
 * Bytes in the block are base64url text in the value. The value of a signed object also has its payload as `link`.
 */

/** Fields that contain bytes, at any depth of the value. */
const bytesFields = new Set(['payload', 'protected', 'signature', 'ciphertext', 'iv', 'tag', 'aad', 'encrypted_key']);

/** Decodes a block. @throws Error if it is neither signed nor encrypted */
export function decodeJose(bytes: Uint8Array): unknown {
  const value = dagCbor.decode<unknown>(bytes);
  const kind = kindOf(value);
  const read = convert(value, (field) => {
    if (!(field instanceof Uint8Array)) throw new Error('a field that must be bytes has another type');
    return base64UrlFromBytes(field);
  });
  if (kind === 'encrypted') return read;
  const { payload } = value as { readonly payload: Uint8Array };
  return { ...(read as object), link: CID.decode(payload) };
}

/** Encodes a value. @throws Error if it is neither signed nor encrypted */
export function encodeJose(value: unknown): Uint8Array {
  const kind = kindOf(value);
  const { link, ...fields } = value as Record<string, unknown>;
  const written = convert(fields, (field) => {
    if (field instanceof Uint8Array) return field;
    if (typeof field !== 'string' || !/^[A-Za-z0-9_-]*$/.test(field))
      throw new Error('a field that must be base64url text is not');
    return new Uint8Array(bytesFromBase64(field));
  });
  if (kind === 'signed') {
    const payload = CID.decode((written as { readonly payload: Uint8Array }).payload);
    const given = CID.asCID(link);
    if (given && !given.equals(payload)) throw new Error('its link differs from the CID in its payload');
  }
  return dagCbor.encode(written);
}

function kindOf(value: unknown): 'signed' | 'encrypted' {
  if (typeof value === 'object' && value !== null) {
    if ('payload' in value && 'signatures' in value && Array.isArray(value.signatures)) return 'signed';
    if ('ciphertext' in value) return 'encrypted';
  }
  throw new Error('it has neither a payload with signatures nor a ciphertext');
}

function convert(value: unknown, bytesOf: (field: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, bytesOf));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || CID.asCID(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      bytesFields.has(name) ? bytesOf(field) : convert(field, bytesOf),
    ]),
  );
}
