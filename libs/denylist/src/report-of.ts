import { errorChain } from '@cairn/errors';
import type { DenylistEvent } from './open-denylists.ts';

/** Line for the log of a service. */
export interface DenylistReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Describes an event of denylists for the log of a service. */
export function reportOf(event: DenylistEvent): DenylistReport {
  const { type, file } = event;
  if (type === 'failed')
    return {
      level: 'error',
      message: 'a denylist cannot be used; its last good version applies',
      fields: { file, causes: errorChain(event.error) },
    };
  if (type === 'removed') return { level: 'info', message: 'denylist removed', fields: { file } };
  const { rules, problems, problemCount } = event;
  if (problemCount === 0) return { level: 'info', message: 'denylist loaded', fields: { file, rules } };
  return {
    level: 'warn',
    message: 'denylist loaded; lines that are no rules are ignored',
    fields: { file, rules, ignoredLines: problemCount, problems },
  };
}
