import { pinRequestStatuses, webhookLimits } from '@cairn/pinning';
import { priceOf } from '../api-v0/prices.ts';
import { pinLimits } from './parse-pin.ts';
import { nameMatches, pinFilterLimits } from './pin-filter.ts';
import { type PsaOperation, psaOperations } from './psa-operations.ts';

const text = { type: 'string' } as const;
const texts = { type: 'object', additionalProperties: text } as const;
const time = { type: 'string', format: 'date-time' } as const;
const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({ 'application/json': { schema: schema(name) } });

/** Schemas of the Pinning Service API. */
export const psaSchemas = {
  Pin: {
    type: 'object',
    required: ['cid'],
    properties: {
      cid: { ...text, description: 'CID of the DAG to pin.' },
      name: { ...text, maxLength: pinLimits.nameCharactersMax },
      origins: { type: 'array', items: text, uniqueItems: true, maxItems: pinLimits.originsMax },
      meta: { ...texts, maxProperties: pinLimits.metaMax },
    },
  },
  PinStatus: {
    type: 'object',
    required: ['requestid', 'status', 'created', 'pin', 'delegates'],
    properties: {
      requestid: text,
      status: { ...text, enum: pinRequestStatuses },
      created: time,
      pin: schema('Pin'),
      delegates: { type: 'array', items: text, uniqueItems: true, minItems: 1, maxItems: 20 },
      info: {
        ...texts,
        description:
          'status_details: reason of the status. dag_size: bytes of the pinned DAG. blocks, bytes: those present so far.',
      },
    },
  },
  PinResults: {
    type: 'object',
    required: ['count', 'results'],
    properties: {
      count: { type: 'integer', minimum: 0, description: 'Number of pins that pass the filters.' },
      results: { type: 'array', items: schema('PinStatus'), maxItems: pinFilterLimits.limitMax },
    },
  },
  NewWebhook: {
    type: 'object',
    required: ['url'],
    properties: { url: { ...text, format: 'uri', maxLength: webhookLimits.urlCharactersMax } },
  },
  Webhook: {
    type: 'object',
    required: ['url', 'created', 'waiting'],
    properties: {
      url: text,
      created: time,
      waiting: { type: 'integer', minimum: 0, description: 'Events that wait for their delivery.' },
      secret: { ...text, description: 'Secret of the signatures, in the response that creates it only.' },
    },
  },
  PinFailure: {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'object', required: ['reason'], properties: { reason: text, details: text } },
    },
  },
} as const;

const failures: Readonly<Record<string, string>> = {
  400: 'An argument is not valid. The details name it.',
  401: 'The token is not valid.',
  403: 'The account is suspended, the key does not allow the operation, or the account has too many requests.',
  404: 'The account has no such pin.',
  409: 'The account has no billing card.',
  413: 'The body is longer than the limit.',
  429: 'A limit of the plan is reached. Retry-After gives the seconds to wait.',
  500: 'The service failed. Its log has the reason.',
};

const filters = [
  parameter('cid', { type: 'array', items: text, maxItems: pinFilterLimits.cidsMax }, 'CIDs, separated by commas.'),
  parameter('name', { ...text, maxLength: pinLimits.nameCharactersMax }),
  parameter('match', { ...text, enum: nameMatches, default: 'exact' }, 'How name is compared.'),
  parameter('status', { type: 'array', items: { ...text, enum: pinRequestStatuses }, default: ['pinned'] }),
  parameter('before', time, 'Pins created before this time.'),
  parameter('after', time, 'Pins created after this time.'),
  parameter('limit', {
    type: 'integer',
    minimum: 1,
    maximum: pinFilterLimits.limitMax,
    default: pinFilterLimits.limitDefault,
  }),
  {
    name: 'meta',
    in: 'query',
    description: 'Attributes that pins have.',
    content: { 'application/json': { schema: texts } },
  },
];

function parameter(name: string, schema: object, description?: string): object {
  const isList = 'items' in schema;
  return { name, in: 'query', ...(description && { description }), schema, ...(isList && { explode: false }) };
}

/** Returns the paths of the Pinning Service API. */
export function psaPaths(): Record<string, object> {
  const { pins, pin, webhook } = psaOperations;
  const body = { required: true, content: json('Pin') };
  const status = (code: number) => ({ [code]: { description: 'The pin and its status.', content: json('PinStatus') } });
  const server = { servers: [{ url: '/' }] };
  return {
    '/psa/pins': {
      ...server,
      get: operation(pins.GET, 'Lists pins, the newest first', {
        parameters: filters,
        responses: { 200: { description: 'The pins that pass the filters.', content: json('PinResults') } },
      }),
      post: operation(pins.POST, 'Adds a pin', { requestBody: body, responses: status(202) }),
    },
    '/psa/pins/{requestid}': {
      ...server,
      parameters: [{ name: 'requestid', in: 'path', required: true, schema: text }],
      get: operation(pin.GET, 'Returns a pin', { responses: status(200) }),
      post: operation(pin.POST, 'Replaces a pin', { requestBody: body, responses: status(202) }),
      delete: operation(pin.DELETE, 'Removes a pin', { responses: { 202: { description: 'The pin is removed.' } } }),
    },
    '/psa/webhook': {
      ...server,
      get: operation(webhook.GET, 'Returns the webhook of the account', {
        responses: { 200: { description: 'The webhook, without its secret.', content: json('Webhook') } },
      }),
      put: operation(webhook.PUT, 'Creates or replaces the webhook, with a new secret', {
        requestBody: { required: true, content: json('NewWebhook') },
        responses: { 200: { description: 'The webhook with its secret.', content: json('Webhook') } },
      }),
      delete: operation(webhook.DELETE, 'Removes the webhook and its waiting events', {
        responses: { 204: { description: 'The webhook is removed.' } },
      }),
    },
  };
}

interface OperationParts {
  readonly responses: object;
  readonly requestBody?: object;
  readonly parameters?: readonly object[];
}

function operation(named: PsaOperation, summary: string, more: OperationParts): object {
  return {
    operationId: named.name.replace(/\/(\w)/, (_, letter: string) => letter.toUpperCase()),
    summary: `${summary}. Needs the scope ${named.scope}; costs ${priceOf(named)} credits and 1 per MiB.`,
    tags: ['pinning service'],
    security: [{ token: [] }],
    ...more,
    responses: {
      ...more.responses,
      ...Object.fromEntries(
        Object.entries(failures).map(([code, description]) => [code, { description, content: json('PinFailure') }]),
      ),
    },
  };
}
