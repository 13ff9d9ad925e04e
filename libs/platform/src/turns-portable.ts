// Turns for browsers. A message has no minimum delay; nested timers have one of 4 ms from the fifth on.
const waiting: (() => void)[] = [];
type Channel = InstanceType<typeof MessageChannel>;

let channel: Channel | undefined;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    channel ??= openChannel();
    waiting.push(resolve);
    channel.port1.ref?.();
    channel.port2.postMessage(undefined);
  });
}

/** Opens the channel. One message resolves one wait. The port is referenced only during a wait, so that it keeps no process alive. */
function openChannel(): Channel {
  const opened = new MessageChannel();
  opened.port1.addEventListener('message', () => {
    waiting.shift()?.();
    if (waiting.length === 0) opened.port1.unref?.();
  });
  opened.port1.start();
  return opened;
}
