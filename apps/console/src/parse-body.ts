import { AuthError } from '@cairn/auth';
import type { z } from 'zod';

/** Parses the input of a page. @throws VALUE_INVALID with the field */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue?.code === 'unrecognized_keys'
    ? invalid([...issue.path, ...issue.keys.slice(0, 1)], 'there is no such field. Remove it, or see /openapi.json')
    : invalid(issue?.path ?? [], issue?.message ?? 'not valid');
}

function invalid(path: readonly PropertyKey[], message: string): AuthError {
  const field = path.join('.') || 'body';
  return new AuthError('VALUE_INVALID', `${field}: ${message}.`, { details: { field } });
}
