import { expect, test } from '@jest/globals';
import { s3Credentials } from './credentials-of-settings.ts';

const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very secret' };

test('credentials come from the settings of AWS', () => {
  expect(s3Credentials(key)).toEqual({ accessKeyId: 'id', secretAccessKey: 'very secret' });
  expect(s3Credentials({ ...key, AWS_SESSION_TOKEN: 'token' }).sessionToken).toBe('token');
});

test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('a missing %s is named without the other value', (name) => {
  const read = () => s3Credentials({ ...key, [name]: '' });
  expect(read).toThrow(`${name} is not set`);
  expect(read).not.toThrow(/very secret/);
});
