import type { CairnError } from './cairn-error.ts';

const codePattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/**
 * True for an error thrown by any Cairn package in any installed version; with `codes`, only for one of those codes.
 *
 * The check is by shape: an `Error` whose `code` is in upper snake case and which carries `details`. Errors of Node
 * itself (`ENOENT`) have no `details` and are not taken for one.
 */
export function isCairnError<Code extends string = string>(
  error: unknown,
  ...codes: readonly Code[]
): error is CairnError<Code> {
  if (!(error instanceof Error) || !('code' in error) || !('details' in error)) return false;
  const { code, details } = error;
  if (typeof code !== 'string' || !codePattern.test(code) || typeof details !== 'object' || details === null)
    return false;
  return codes.length === 0 || (codes as readonly string[]).includes(code);
}
