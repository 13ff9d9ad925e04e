import { Auth, keyReference, type SignedIn } from '@cairn/auth';
import { loggedRequestsKept } from '@cairn/metering';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import * as z from 'zod';
import { Describe, TakesQuery } from '../describe.ts';
import { requestsCsv } from '../requests/requests-csv.ts';
import { selectRequests } from '../requests/select-requests.ts';
import { Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';

const milliseconds = z.coerce.number({ error: 'expected milliseconds since 1970' }).int().min(0);
const filter = {
  operation: z.string().max(128).optional(),
  key: z.string().max(128).optional(),
  network: z.string().max(64).optional(),
  origin: z.string().max(256).optional(),
  outcome: z.enum(['ok', 'error', 'limited'], { error: 'expected ok, error or limited' }).optional(),
  limit: z.string().max(64).optional(),
  requestId: z.string().max(128).optional(),
  from: milliseconds.optional(),
  to: milliseconds.optional(),
};
const listQuery = z.object({
  ...filter,
  offset: z.coerce.number().int().min(0).max(loggedRequestsKept).default(0),
  count: z.coerce.number().int().min(1).max(500, { error: 'expected 1 to 500' }).default(100),
});
const exportQuery = z.object({
  ...filter,
  format: z.enum(['csv', 'json'], { error: 'expected csv or json' }).default('csv'),
});

/** The last requests of the account. */
@Controller('api/requests')
export class RequestsController {
  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(STORES) private readonly stores: ConsoleStores,
  ) {}

  @Describe('The last requests of the account with a filter, the limits that refused requests, and the origins.')
  @Get()
  async list(
    @Me() { account }: SignedIn,
    @TakesQuery(listQuery) { offset, count, ...chosen }: z.infer<typeof listQuery>,
  ) {
    const chunks = this.stores.requestLog.chunks(account.id);
    const selected = await selectRequests(chunks, chosen, { offset, count });
    const names = new Map((await this.auth.keys(account.id)).map(({ id, name }) => [keyReference(id), name]));
    return {
      ...selected,
      requests: selected.requests.map((request) => ({ ...request, keyName: names.get(request.key) ?? request.key })),
      kept: loggedRequestsKept,
    };
  }

  @Describe('The last requests of the account as a file. format=json returns JSON.', 'text/csv')
  @Get('export')
  async export(
    @Me() { account }: SignedIn,
    @TakesQuery(exportQuery) { format, ...chosen }: z.infer<typeof exportQuery>,
    @Res() response: Response,
  ) {
    const all = { offset: 0, count: Number.MAX_SAFE_INTEGER };
    const { requests } = await selectRequests(this.stores.requestLog.chunks(account.id), chosen, all);
    response.setHeader('content-disposition', `attachment; filename="cairn-requests.${format}"`);
    response.setHeader('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json');
    response.end(format === 'csv' ? requestsCsv(requests) : JSON.stringify(requests));
  }
}
