import { expect, test } from '@jest/globals';
import { openFilesAdvice } from './open-files.ts';

const limits = (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}                 ${files}                 files\n`;

test('openFilesAdvice names the limit and the commands that raise it', () => {
  expect(openFilesAdvice(limits('1024'))).toMatch(/allows 1024 open files.*`ulimit -n 65536`.*LimitNOFILE=/);
});

test.each(['4096', '1048576', 'unlimited'])('openFilesAdvice is silent for %s', (files) => {
  expect(openFilesAdvice(limits(files))).toBeUndefined();
});

test('openFilesAdvice is silent where the system reports no limit', () => {
  expect(openFilesAdvice('')).toBeUndefined();
});
