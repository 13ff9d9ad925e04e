import { X509Certificate } from 'node:crypto';
import { totalmem } from 'node:os';
import { ownOpenFilesAdvice } from '@cairn/service-kit';
import type { CommandSettings } from '../settings.ts';
import { type Finding, fault, good, warning } from './finding.ts';

const GiB = 1024 ** 3;
/** Memory in bytes that five services use together under light load. */
const memoryBytesMin = 2 * GiB;
const dayMs = 86_400_000;
const certificateDaysMin = 14;

/** Checks Node, memory and open files. */
export function checkSystem(version: string, memoryBytes = totalmem()): Finding[] {
  const memory = `The machine has ${(memoryBytes / GiB).toFixed(1)} GiB of memory.`;
  const openFiles = ownOpenFilesAdvice();
  return [
    good('versions', `Cairn ${version} on Node ${process.versions.node}.`),
    memoryBytes < memoryBytesMin
      ? warning('memory', memory, 'Give all services together 2 GiB or more, or run fewer of them here.')
      : good('memory', memory),
    openFiles === undefined
      ? good('limits', 'The system allows enough open files.')
      : warning('limits', 'The system allows few open files.', openFiles),
  ];
}

/** Checks until when the certificate is valid. */
export function checkTls({ tls }: Pick<CommandSettings, 'tls'>, now = Date.now()): Finding[] {
  if (tls === undefined) return [];
  const { validFrom, validTo } = new X509Certificate(tls.cert);
  const days = Math.floor((Date.parse(validTo) - now) / dayMs);
  const renew = 'Renew it and restart the services.';
  if (days < 0) return [fault('tls', `The certificate expired on ${validTo}.`, renew)];
  if (Date.parse(validFrom) > now)
    return [fault('tls', `The certificate is valid from ${validFrom}.`, 'Check the clock of this machine.')];
  if (days < certificateDaysMin) return [warning('tls', `The certificate expires in ${days} days.`, renew)];
  return [good('tls', `The certificate is valid for ${days} days.`)];
}
