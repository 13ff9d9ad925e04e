import { describe, expect, test } from '@jest/globals';
import { CairnError, errorChain, errorText, isCairnError } from './index.ts';

class BlockNotFoundError extends CairnError<'BLOCK_NOT_FOUND'> {
  constructor(cid: string) {
    super('BLOCK_NOT_FOUND', `Block ${cid} is not in this store.`, { hint: 'Add it first.', details: { cid } });
  }
}

describe('CairnError', () => {
  test('has the code, the hint, the details and the name of its class', () => {
    const error = new BlockNotFoundError('bafy');
    expect(error).toMatchObject({
      name: 'BlockNotFoundError',
      code: 'BLOCK_NOT_FOUND',
      hint: 'Add it first.',
      details: { cid: 'bafy' },
    });
    expect(errorText(error)).toBe('Block bafy is not in this store. Add it first.');
  });

  test('errorText adds a full stop between a message without punctuation and its hint', () => {
    const withHint = (message: string) => errorText(new CairnError('SOME_CODE', message, { hint: 'Try again.' }));
    expect(withHint('nonce too low')).toBe('nonce too low. Try again.');
    expect(withHint('Where is it?')).toBe('Where is it? Try again.');
    expect(errorText(new CairnError('SOME_CODE', 'nonce too low', { hint: '' }))).toBe('nonce too low');
  });

  test('isCairnError matches by shape, so errors of another copy of the package match', () => {
    const foreign = Object.assign(new Error('x'), { code: 'BLOCK_NOT_FOUND', details: {} });
    expect(isCairnError(foreign, 'BLOCK_NOT_FOUND')).toBe(true);
    expect(isCairnError(foreign, 'CID_INVALID')).toBe(false);
    expect(isCairnError(foreign)).toBe(true);
  });

  test.each([
    ['an error of Node', Object.assign(new Error('x'), { code: 'ENOENT' })],
    ['a plain object', { code: 'BLOCK_NOT_FOUND', details: {} }],
    ['a lower-case code', Object.assign(new Error('x'), { code: 'not_found', details: {} })],
    ['null details', Object.assign(new Error('x'), { code: 'NOT_FOUND', details: null })],
    ['undefined', undefined],
  ])('isCairnError rejects %s', (_, value) => {
    expect(isCairnError(value)).toBe(false);
  });

  test('errorChain follows causes and stops in a cycle', () => {
    const inner = new Error('disk full');
    const outer = new CairnError('STORE_WRITE_FAILED', 'write failed', { cause: inner });
    expect(errorChain(outer)).toEqual(['write failed', 'disk full']);
    inner.cause = outer;
    expect(errorChain(outer)).toHaveLength(8);
    expect(errorChain('text')).toEqual(['text']);
  });
});
