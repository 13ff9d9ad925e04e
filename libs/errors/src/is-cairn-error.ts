import type { CairnError } from './cairn-error.ts';

const codePattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/**
 * Reports whether a value is an error of any Cairn package in any installed version. With `codes`, its code must be one of them.
 *
 * The check is by shape: an `Error` with a `code` in upper snake case and with `details`. Node's own errors, such as
 * `ENOENT`, have no `details` and do not match.
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
