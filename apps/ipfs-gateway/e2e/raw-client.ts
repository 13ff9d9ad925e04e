import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { RunningService } from '@cairn/service-kit/testing';

export const MiB = 1024 * 1024;

/** Request of a path, as sent. */
export const get = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`;

/** Opens a connection, sends bytes, and resolves with it when the first bytes arrive. It reads on only if `isReading`. */
export function open(service: RunningService, request: string, { isReading = false } = {}): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('error', reject);
    socket.once('data', () => {
      if (isReading) socket.resume();
      else socket.pause();
      resolve(socket);
    });
  });
}

/** Largest resident memory of the service in MiB while something is done. Mapped pages of the store count. */
export async function peakDuring<T>(
  service: RunningService,
  act: () => Promise<T>,
): Promise<{ peak: number; result: T }> {
  let peak = residentOf(service);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentOf(service));
  }, 50);
  try {
    const result = await act();
    return { peak: Math.max(peak, residentOf(service)), result };
  } finally {
    clearInterval(timer);
  }
}

function residentOf({ process: { pid } }: RunningService): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}

/** Waits for a condition. The time limit of the test ends a wait in vain. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
