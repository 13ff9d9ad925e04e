import { createHash } from 'node:crypto';
import { failureOfCode, type S3Answer, type S3Failure } from './s3-errors.ts';
import type { S3Request } from './s3-requests.ts';
import { childrenOf, escapeXml, parseXml, textOf } from './s3-xml.ts';

/** Request that removes up to 1,000 objects. It may be repeated, since removing an absent object is no error. */
export function deleteObjects(names: readonly string[]): Omit<S3Request, 'path'> {
  const objects = names.map((name) => `<Object><Key>${escapeXml(name)}</Key></Object>`).join('');
  const body = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`,
  );
  const hashOf = (algorithm: string) => createHash(algorithm).update(body);
  return {
    operation: 'delete',
    method: 'POST',
    query: { delete: '' },
    // Older servers require MD5 here; newer ones accept it.
    headers: { 'content-md5': hashOf('md5').digest('base64'), 'content-type': 'application/xml' },
    body: [body],
    bodySha256: hashOf('sha256').digest('hex'),
    findFailure: failureInResult,
  };
}

/** Finds the first object that was not removed. The status is 200 then. */
function failureInResult(answer: S3Answer): S3Failure | undefined {
  const root = parseXml(answer.body);
  const [result] = childrenOf(root, 'DeleteResult');
  const codes = childrenOf(result, 'Error').map((error) => textOf(error, 'Code'));
  const s3Code = codes.find((code) => code !== 'NoSuchKey');
  if (s3Code === undefined) return undefined;
  return failureOfCode({ s3Code, status: s3Code === 'AccessDenied' ? 403 : 400, key: undefined });
}
