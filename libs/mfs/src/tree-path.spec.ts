import { expect, test } from '@jest/globals';
import { parseTreePath } from './tree-path.ts';

test.each(['/\0', '/a\0b', '/a\0/b', '/a/\0/..'])('parseTreePath refuses the NUL character in %j', (path) => {
  expect(() => parseTreePath(path)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }));
});
