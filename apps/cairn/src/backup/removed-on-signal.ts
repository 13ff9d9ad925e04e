import { rmSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Runs `use`. A signal that ends the process meanwhile also removes an incomplete directory. */
export async function removedOnSignal<T>(directory: string, use: () => Promise<T>): Promise<T> {
  // Synchronous, since `use` cannot be interrupted: LMDB copies a store in one call.
  const onSignal = (signal: NodeJS.Signals) => {
    for (const each of signals) process.off(each, onSignal);
    try {
      rmSync(directory, { recursive: true, force: true });
      console.error(`Stopped by ${signal}. The incomplete ${directory} was removed.`);
    } finally {
      process.kill(process.pid, signal);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await use();
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
