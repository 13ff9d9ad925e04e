import type { ApiDocument } from '@cairn/service-kit';
import manifest from '../../package.json' with { type: 'json' };
import { psaPaths, psaSchemas } from '../psa/psa-open-api.ts';
import type { Command } from './command.ts';
import type { OptionSpec } from './options.ts';
import { priceOf } from './prices.ts';

type Described = Pick<Command, 'name' | 'scope' | 'args' | 'options' | 'isRefused' | 'grant'>;

/** Commands with a body, and the parts that they read. */
const bodies: Readonly<Record<string, { readonly part: string; readonly isMany: boolean }>> = {
  add: { part: 'file', isMany: true },
  'block/put': { part: 'data', isMany: true },
  'dag/put': { part: 'object data', isMany: true },
  'dag/import': { part: 'path', isMany: true },
  'files/write': { part: 'data', isMany: false },
  'key/import': { part: 'key', isMany: false },
  'key/sign': { part: 'data', isMany: false },
  'key/verify': { part: 'data', isMany: false },
  'multibase/decode': { part: 'encoded_file', isMany: false },
  'multibase/encode': { part: 'file', isMany: false },
  'multibase/transcode': { part: 'encoded_file', isMany: false },
  'name/inspect': { part: 'record', isMany: false },
  'name/put': { part: 'record', isMany: false },
  'routing/put': { part: 'value-file', isMany: false },
};

const refusals: Readonly<Record<string, string>> = {
  400: 'An argument or option is not valid. The message names it.',
  401: 'Key or secret is not valid.',
  402: 'The account has no billing card.',
  403: 'The account is suspended, the key does not allow the command or the client, or the quota would be exceeded.',
  413: 'The body is longer than the limit.',
  429: 'A limit of the plan is reached, or credentials were wrong too often. Retry-After gives the seconds to wait.',
  500: 'The command failed. The message is that of Kubo and gives the reason.',
  503: 'The service is stopping.',
  507: 'The store is full.',
};

/** Generates the OpenAPI 3.1 document from the definitions that parse the requests. */
export function openApiDocument(commands: readonly Described[]): ApiDocument {
  const offered = commands.filter(({ isRefused }) => isRefused !== true);
  const sorted = offered.sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn storage API',
      version: manifest.version,
      description:
        'Content-addressed storage on Kubo’s HTTP API. Every command is a POST; arguments and options are query parameters. Beside it, the IPFS Pinning Service API 1.0.0 under /psa.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-kubo-reference': 'https://docs.ipfs.tech/reference/kubo/rpc/',
    },
    servers: [{ url: '/api/v0' }],
    security: [{ key: [] }],
    paths: {
      ...Object.fromEntries(sorted.map((command) => [`/${command.name}`, { post: operationOf(command) }])),
      ...psaPaths(),
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'basic', description: 'User name: the API key. Password: its secret.' },
        token: { type: 'http', scheme: 'bearer', description: 'KEY:SECRET, or the same in Base64.' },
      },
      schemas: {
        ...psaSchemas,
        Error: {
          type: 'object',
          required: ['Message', 'Code', 'Type'],
          properties: {
            Message: { type: 'string' },
            Code: { type: 'integer' },
            Type: { type: 'string', const: 'error' },
          },
        },
      },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [`E${status}`, refusal(description)]),
      ),
    },
  };
}

function operationOf(command: Described): object {
  const { name, scope, args, options, grant } = command;
  const needs = grant === undefined ? `the scope ${scope}` : `the scope ${scope} and the grant ${grant}`;
  const body = bodies[name];
  return {
    operationId: name.replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: `${name}, as in Kubo. Needs ${needs}; costs ${priceOf(command)} credits and 1 per MiB.`,
    tags: [name.includes('/') ? (name.split('/')[0] ?? name) : 'root'],
    parameters: [
      ...(args.max > 0
        ? [
            {
              name: 'arg',
              in: 'query',
              required: args.min > 0,
              description: typeof args.name === 'string' ? args.name : args.name.join(', '),
              schema: { type: 'array', items: { type: 'string' }, minItems: args.min, maxItems: args.max },
              explode: true,
            },
          ]
        : []),
      ...Object.entries(options).flatMap(([option, spec]) => parameterOf(option, spec)),
      {
        name: 'timeout',
        in: 'query',
        description: 'Time limit of the command, such as 30s.',
        schema: { type: 'string' },
      },
    ],
    ...(body && { requestBody: bodyOf(body) }),
    responses: {
      200: {
        description: 'The response of Kubo. An error after the first byte is reported in the trailer X-Stream-Error.',
      },
      ...Object.fromEntries(
        Object.keys(refusals).map((status) => [status, { $ref: `#/components/responses/E${status}` }]),
      ),
    },
  };
}

function parameterOf(name: string, spec: OptionSpec): object[] {
  if (spec.kind === 'refused') return [];
  const schema = {
    boolean: { type: 'boolean' },
    integer: { type: 'integer', ...(spec.kind === 'integer' && { minimum: spec.min, maximum: spec.max }) },
    text: { type: 'string', ...(spec.kind === 'text' && spec.oneOf && { enum: spec.oneOf }) },
  }[spec.kind];
  return [{ name, in: 'query', schema: { ...schema, ...(spec.default !== undefined && { default: spec.default }) } }];
}

function bodyOf({ part, isMany }: { readonly part: string; readonly isMany: boolean }): object {
  const bytes = { type: 'string', contentMediaType: 'application/octet-stream' };
  const schema = isMany ? { type: 'array', items: bytes } : bytes;
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', required: [part], properties: { [part]: schema } } },
    },
  };
}

function refusal(description: string): object {
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
}
