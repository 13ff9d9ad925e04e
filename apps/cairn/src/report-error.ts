import { CairnError, errorText } from '@cairn/errors';
import { CommanderError, InvalidArgumentError } from 'commander';
import { exitCodeOf } from './exit-codes.ts';
import { paint } from './paint.ts';

/**
 * Prints an error that ends the command on standard error, as one JSON object on request.
 * @returns the exit code
 */
export function reportError(error: unknown, { json }: { readonly json: boolean }): number {
  const exitCode = exitCodeOf(error);
  if (exitCode === 0) return exitCode;
  if (json) console.error(JSON.stringify({ error: fieldsOf(error), exitCode }));
  // The parser has printed its own errors, which are not instances of this class.
  else if (!(error instanceof CommanderError) || error instanceof InvalidArgumentError)
    console.error(paint.error(errorText(error)));
  return exitCode;
}

function fieldsOf(error: unknown) {
  if (error instanceof CairnError)
    return { code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }) };
  if (error instanceof CommanderError) return { code: 'USAGE_INVALID', message: error.message.replace(/^error: /, '') };
  return { code: 'FAILED', message: errorText(error) };
}
