// For browsers: a message takes no minimal delay, which timers do (4 ms from the fifth on).
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

/** One message ends one wait. Where an open port keeps a process alive, it does so during a wait only. */
function openChannel(): Channel {
  const opened = new MessageChannel();
  opened.port1.addEventListener('message', () => {
    waiting.shift()?.();
    if (waiting.length === 0) opened.port1.unref?.();
  });
  opened.port1.start();
  return opened;
}
