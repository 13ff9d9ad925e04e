import type { ApiDocument } from '@cairn/service-kit';
import { type PipeTransform, RequestMethod, type Type } from '@nestjs/common';
import * as z from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { controllers } from './api/controllers.ts';
import { SchemaPipe } from './describe.ts';

/** Metadata key of Nest's parameter decorators, and the parameter kinds described here. */
const routeArguments = '__routeArguments__';
const bodyKind = 3;
const queryKind = 4;

interface Route {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
}

const refusals: Readonly<Record<string, string>> = {
  400: 'The request is not valid. The message names the field.',
  401: 'There is no session, or the credentials are wrong.',
  403: 'The member lacks the right, or a page of another origin sent the request.',
  404: 'The account has no object with this id.',
  429: 'A limit is reached. Retry-After gives the seconds to wait.',
  500: 'Internal error. The log of the console has the reason.',
};

/** The API of the console as OpenAPI 3.1, generated from Nest's routes and the schemas of the pipes. */
export function openApiDocument(): ApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of controllers.flatMap(routesOf)) {
    const { path, method, operation } = operationOf(route);
    paths[path] = { ...paths[path], [method]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn console API',
      version: manifest.version,
      description:
        'API of the console pages: account, keys, usage, files, networks and billing of the signed-in member. Changes with a session require the header x-cairn-console.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'cairn_session' },
        token: { type: 'http', scheme: 'bearer', description: 'Personal API token of a member: cairn_pat_…' },
      },
      schemas: { Error: errorSchema },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          `E${status}`,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        ]),
      ),
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        hint: { type: 'string' },
        field: { type: 'string' },
      },
    },
  },
};

function routesOf(controller: Type): Route[] {
  return Object.getOwnPropertyNames(controller.prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => ({ controller, name, handler: controller.prototype[name] }))
    .filter(({ handler }) => typeof handler === 'function' && Reflect.hasMetadata('path', handler));
}

function operationOf({ controller, name, handler }: Route) {
  const mark = (key: string) => Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller);
  const base: string = Reflect.getMetadata('path', controller);
  const path = `/${base}/${Reflect.getMetadata('path', handler)}`.replace(/\/+/g, '/').replace(/\/$/, '');
  const method = (RequestMethod[Reflect.getMetadata('method', handler)] ?? 'GET').toLowerCase();
  const says: { readonly summary: string; readonly answer: string } | undefined = mark('says');
  if (says === undefined) throw new Error(`${controller.name}.${name} has no description. Add the decorator Describe.`);
  const status = Reflect.getMetadata('__httpCode__', handler) ?? (method === 'post' ? 201 : 200);
  const isOpen = mark('open') === true || mark('webhook') === true;
  const body = schemaOf(controller, name, bodyKind);
  const operation = {
    operationId: `${controller.name.replace('Controller', '').replace(/^\w/, (letter) => letter.toLowerCase())}.${name}`,
    summary: says.summary + (mark('operators') ? ' For operators.' : ''),
    tags: [controller.name.replace('Controller', '')],
    security: isOpen ? [] : [{ session: [] }, ...(path.startsWith('/api/me/') ? [] : [{ token: [] }])],
    parameters: [...pathParameters(path), ...queryParameters(schemaOf(controller, name, queryKind))],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [status]: { description: 'Success.', content: { [says.answer]: {} } },
      ...Object.fromEntries(Object.keys(refusals).map((code) => [code, { $ref: `#/components/responses/E${code}` }])),
    },
  };
  return { path: path.replace(/:(\w+)/g, '{$1}'), method, operation };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(schema: z.core.JSONSchema.JSONSchema | undefined): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema?.required?.includes(name) ?? false,
    schema: property,
  }));
}

/** Schema of the pipe that parses a handler's body or query. */
function schemaOf(controller: Type, name: string, kind: number): z.core.JSONSchema.JSONSchema | undefined {
  const parameters: Readonly<Record<string, { readonly pipes: readonly PipeTransform[] }>> =
    Reflect.getMetadata(routeArguments, controller, name) ?? {};
  const [, found] = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`)) ?? [];
  const pipe = found?.pipes.find((one) => one instanceof SchemaPipe);
  if (pipe === undefined) return undefined;
  const { $schema: _, ...schema } = z.toJSONSchema(pipe.schema, { io: 'input' });
  return schema;
}
