import { type FailureChange, FailureGate } from './failure-gate.ts';

/** Messages between the processes of a service. */
export interface FailureChannel {
  publish(topic: string, change: unknown): void;
  subscribe(topic: string, listener: (change: unknown) => void): void;
}

const topic = 'failed attempts';

/** Creates a gate that counts the failed attempts at all processes of a service. */
export function sharedFailureGate(channel: FailureChannel): FailureGate {
  const gate = new FailureGate({ onChange: (change) => channel.publish(topic, change) });
  channel.subscribe(topic, (change) => gate.apply(change as FailureChange));
  return gate;
}
