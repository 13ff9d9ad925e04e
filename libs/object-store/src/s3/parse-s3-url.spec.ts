import { expect, test } from '@jest/globals';
import { parseS3Url } from './parse-s3-url.ts';

test('parseS3Url reads bucket, prefix, endpoint and region', () => {
  expect(parseS3Url('s3://my-bucket/a/b/?endpoint=https://s3.example.org:9000&region=eu-1')).toEqual({
    bucket: 'my-bucket',
    prefix: 'a/b/',
    endpoint: 'https://s3.example.org:9000',
    region: 'eu-1',
  });
  expect(parseS3Url('s3://my-bucket')).toEqual({
    bucket: 'my-bucket',
    prefix: '',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    region: 'us-east-1',
  });
});

test.each([
  'https://bucket/prefix',
  'bucket',
  's3://',
  's3://Key:Password@bucket',
  's3://b',
  's3://bucket/a b',
  's3://bucket/../a b/',
  's3://bucket?endpoint=ftp://host',
  's3://bucket?endpoint=host',
  's3://bucket?endpoint=https://Key:Password@host',
  's3://bucket?endpoint=https://host/path',
  's3://bucket?region=a/b',
  's3://bucket?secret=Password',
])('parseS3Url refuses %s without repeating it', (url) => {
  let thrown: unknown;
  try {
    parseS3Url(url);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: 'OBJECT_STORE_URL_INVALID', hint: expect.any(String) });
  expect(JSON.stringify([thrown, String(thrown)])).not.toMatch(/Password|Key:/);
});
