import { Body, type PipeTransform, Query, SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import { parseBody } from './parse-body.ts';

/** What a request of the API is for, in one sentence, and what it answers where that is not JSON. */
export const Says = (summary: string, answer = 'application/json') => SetMetadata('says', { summary, answer });

/** Reads a body or query by its schema, from which the description of the API is made too. @throws VALUE_INVALID */
export class SchemaPipe<T> implements PipeTransform<unknown, T> {
  constructor(readonly schema: z.ZodType<T>) {}

  transform(value: unknown): T {
    return parseBody(this.schema, value);
  }
}

export const TakesBody = <T>(schema: z.ZodType<T>) => Body(new SchemaPipe(schema));
export const TakesQuery = <T>(schema: z.ZodType<T>) => Query(new SchemaPipe(schema));
