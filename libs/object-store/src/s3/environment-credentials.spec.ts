import { expect, test } from '@jest/globals';
import { environmentCredentials } from './environment-credentials.ts';

const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very secret' };

test('credentials come from the variables of AWS', () => {
  expect(environmentCredentials(key)).toEqual({ accessKeyId: 'id', secretAccessKey: 'very secret' });
  expect(environmentCredentials({ ...key, AWS_SESSION_TOKEN: 'token' }).sessionToken).toBe('token');
});

test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('a missing %s is named without the other value', (name) => {
  const read = () => environmentCredentials({ ...key, [name]: '' });
  expect(read).toThrow(`${name} is not set`);
  expect(read).not.toThrow(/very secret/);
});
