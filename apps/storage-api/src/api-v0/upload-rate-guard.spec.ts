import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { type RequestBody, readParts } from './multipart.ts';
import { UploadRateGuard } from './upload-rate-guard.ts';

const options = { windowMs: 1000, bytesMin: 100 };

test('refuses a client when a window of waiting ends with too few bytes', () => {
  let now = 0;
  const rateGuard = new UploadRateGuard(options, () => now);
  const reasons: unknown[] = [];
  /** Waits for a time and receives a number of bytes. */
  const receive = (ms: number, bytes: number) => {
    const arrived = rateGuard.wait((reason) => reasons.push(reason));
    now += ms;
    arrived(bytes);
  };
  receive(900, 10);
  // Time between two waits is spent by the service.
  now += 60_000;
  receive(99, 89);
  receive(1, 1);
  expect(reasons).toEqual([]);
  receive(600, 50);
  receive(600, 49);
  expect(reasons).toEqual([expect.objectContaining({ status: 408, message: expect.stringContaining('99 bytes') })]);
});

test('refuses a client that sends nothing while the service waits for it', () => {
  jest.useFakeTimers();
  try {
    const onSlow = jest.fn();
    new UploadRateGuard(options).wait(onSlow);
    jest.advanceTimersByTime(999);
    expect(onSlow).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2);
    expect(onSlow).toHaveBeenCalledWith(expect.objectContaining({ status: 408 }));
  } finally {
    jest.useRealTimers();
  }
});

test('a body that stops within a part gets 408', async () => {
  const stream = new PassThrough();
  const body: RequestBody = Object.assign(stream, {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    complete: false,
  });
  stream.write('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nsome by');
  const rateGuard = new UploadRateGuard({ windowMs: 20, bytesMin: 1000 });
  const reading = async () => {
    for await (const { bytes } of readParts(body, new AbortController().signal, 'path', rateGuard))
      for await (const _ of bytes);
  };
  await expect(reading()).rejects.toMatchObject({ status: 408 });
});
