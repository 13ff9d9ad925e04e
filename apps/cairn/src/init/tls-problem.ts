import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Describes what is wrong with files of a certificate; undefined where they are usable together. Never shows their content. */
export function tlsProblem({ cert, key }: { readonly cert: string; readonly key?: string }): string | undefined {
  const certificate = read(cert, (pem) => new X509Certificate(pem));
  if (certificate === undefined) return `${cert || 'An empty path'} is no readable PEM file of a certificate.`;
  if (new Date(certificate.validTo) < new Date()) return `The certificate ended on ${certificate.validTo}.`;
  if (key === undefined) return undefined;
  const privateKey = read(key, (pem) => createPrivateKey(pem));
  if (privateKey === undefined)
    return `${key || 'An empty path'} is no readable PEM file of a private key without a passphrase.`;
  return certificate.checkPrivateKey(privateKey) ? undefined : 'The private key does not belong to the certificate.';
}

function read<T>(path: string, parse: (pem: Buffer) => T): T | undefined {
  try {
    return parse(readFileSync(path));
  } catch {
    return undefined;
  }
}
