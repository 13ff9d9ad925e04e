import { describe, expect, test } from '@jest/globals';
import { defineMethod, methodsMarkdown, openRpcDocument } from './index.ts';

const hash = { title: 'Hash', type: 'string', pattern: '^0x[0-9a-f]{64}$' };
const get = defineMethod<unknown>()({
  name: 'get',
  summary: 'Gets a thing.',
  params: [
    { name: 'hash', summary: 'its hash.', schema: hash, parse: String },
    { name: 'full', summary: 'whether all of it.', isRequired: false, parse: Boolean },
  ],
  result: 'The thing.',
  resultSchema: { title: 'Thing', type: 'object', properties: { hash, others: { type: 'array', items: hash } } },
  errors: ['server'],
  cost: 3,
  surcharge: 'and 2 for each other thing',
  notes: ['Open on Sundays.'],
  extensions: { 'x-day': 'Sunday' },
  handle: () => null,
});
const info = { title: 'Things', version: '1.2.3' };

describe('openRpcDocument', () => {
  const document = openRpcDocument([get], info);

  test('contains all parts of a definition', () => {
    expect(document).toMatchObject({ openrpc: '1.3.2', info });
    expect(document.methods).toEqual([
      {
        name: 'get',
        summary: 'Gets a thing.',
        paramStructure: 'either',
        params: [
          { name: 'hash', summary: 'its hash.', required: true, schema: { $ref: '#/components/schemas/Hash' } },
          { name: 'full', summary: 'whether all of it.', required: false, schema: {} },
        ],
        result: { name: 'result', summary: 'The thing.', schema: { $ref: '#/components/schemas/Thing' } },
        errors: [{ $ref: '#/components/errors/server' }],
        'x-cost': 3,
        'x-surcharge': 'and 2 for each other thing',
        'x-day': 'Sunday',
      },
    ]);
  });

  test('resolves every reference to a component', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(3);
    for (const [, kind = '', name = ''] of references) {
      expect(document.components).toHaveProperty([kind, name]);
    }
    expect(document.components.schemas).toMatchObject({ Hash: hash, Thing: { title: 'Thing' } });
  });
});

test('methodsMarkdown lists parameters, result, errors and remedies', () => {
  const page = methodsMarkdown([{ title: 'Reads', methods: [get] }]);
  for (const part of [
    '## Reads',
    '### get',
    '1. `hash`: its hash.',
    '2. `full` (optional): whether all of it.',
    'Returns: The thing. Cost: 3, and 2 for each other thing. Errors: -32000.\n\nOpen on Sundays.',
    '| -32601 | The method does not exist. |',
  ]) {
    expect(page).toContain(part);
  }
});
