import { Body, type PipeTransform, Query, SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import { parseBody } from './parse-body.ts';

/** Describes an operation of the API in one sentence. `answer` is its media type. */
export const Describe = (summary: string, answer = 'application/json') => SetMetadata('says', { summary, answer });

/** Parses a body or query by its schema. openapi.json is generated from the same schema. @throws VALUE_INVALID */
export class SchemaPipe<T> implements PipeTransform<unknown, T> {
  constructor(readonly schema: z.ZodType<T>) {}

  transform(value: unknown): T {
    return parseBody(this.schema, value);
  }
}

export const TakesBody = <T>(schema: z.ZodType<T>) => Body(new SchemaPipe(schema));
export const TakesQuery = <T>(schema: z.ZodType<T>) => Query(new SchemaPipe(schema));
