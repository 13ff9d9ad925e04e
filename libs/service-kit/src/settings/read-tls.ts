import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CommonSettings } from './common-settings.ts';
import type { SettingsProblem } from './settings-error.ts';

/** Reads the certificate and its private key. Adds a problem where one cannot be read, or where they do not match. */
export function readTls(
  certFile: string | undefined,
  keyFile: string | undefined,
  problems: SettingsProblem[],
): CommonSettings['tls'] {
  if (!certFile || !keyFile) return undefined;
  const cert = readPem('TLS_CERT', certFile, problems);
  const key = readPem('TLS_KEY', keyFile, problems);
  if (cert === undefined || key === undefined) return undefined;
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      problems.push({ key: 'TLS_KEY', problem: `${keyFile} is not the private key of ${certFile}` });
    }
  } catch {
    problems.push({
      key: 'TLS_CERT',
      problem: `expected a PEM certificate in ${certFile} and its PEM private key in ${keyFile}`,
    });
  }
  return { cert, key };
}

function readPem(key: 'TLS_CERT' | 'TLS_KEY', file: string, problems: SettingsProblem[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    problems.push({ key, problem: `the file ${file} cannot be read` });
    return undefined;
  }
}
