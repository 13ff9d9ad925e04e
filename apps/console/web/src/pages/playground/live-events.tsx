import { Badge, Button, Code, Group, NativeSelect, Text, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ApiError, guardHeaders } from '../../api.ts';
import { count } from '../../format.ts';
import { Failure, Section } from '../../parts.tsx';

const kinds = ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing'];
/** Events that stay on the page. */
const shownEvents = 50;

interface Line {
  readonly event?: unknown;
  readonly error?: string;
}

/** Subscribes to events of a network and shows them as they arrive. */
export function LiveEvents({ network }: { network: string }) {
  const [kind, setKind] = useState('newHeads');
  const [filter, setFilter] = useState('');
  const [events, setEvents] = useState<readonly { readonly number: number; readonly text: string }[]>([]);
  const [fault, setFault] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const stopper = useRef<AbortController>(undefined);
  useEffect(() => () => stopper.current?.abort(), []);
  const received = events[0]?.number ?? 0;

  const start = async () => {
    const controller = new AbortController();
    stopper.current = controller;
    setEvents([]);
    setFault(undefined);
    setIsOpen(true);
    let number = 0;
    try {
      const query = new URLSearchParams({ kind, ...(filter.trim() !== '' && { filter: filter.trim() }) });
      for await (const line of linesOf(`/api/networks/${encodeURIComponent(network)}/events?${query}`, controller)) {
        if (line.error !== undefined) throw new ApiError(400, { message: line.error });
        const event = { number: ++number, text: JSON.stringify(line.event, undefined, 2) };
        setEvents((before) => [event, ...before].slice(0, shownEvents));
      }
    } catch (error) {
      if (!controller.signal.aborted)
        setFault(error instanceof ApiError ? error.message : 'The subscription has ended.');
    } finally {
      setIsOpen(false);
    }
  };

  return (
    <Section
      title="Live events"
      text="A WebSocket subscription, shown as it arrives."
      actions={isOpen && <Badge color="teal">live</Badge>}
    >
      <Group align="flex-end">
        <NativeSelect
          label="Subscription"
          data={kinds}
          value={kind}
          disabled={isOpen}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
        {isOpen ? (
          <Button color="red" variant="light" onClick={() => stopper.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button onClick={() => void start()}>Subscribe</Button>
        )}
      </Group>
      {kind === 'logs' && (
        <Textarea
          label="Filter"
          placeholder='{"address": "0x…", "topics": []}'
          autosize
          disabled={isOpen}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {fault !== undefined && <Failure error={{ message: fault }} />}
      <Text size="sm" c="dimmed" role="status">
        {isOpen || received > 0 ? `${count(received)} events` : 'Events appear as blocks arrive.'}
      </Text>
      {events.map(({ number, text }) => (
        <Code block key={number} mah={160} tabIndex={0} aria-label={`Event ${number}`}>
          {text}
        </Code>
      ))}
    </Section>
  );
}

/** Lines of JSON of a streamed response. @throws ApiError */
async function* linesOf(path: string, { signal }: AbortController): AsyncGenerator<Line> {
  const response = await fetch(path, { headers: guardHeaders, signal });
  if (!response.ok || response.body === null) {
    const answer = (await response.json().catch(() => ({}))) as { readonly error?: object };
    throw new ApiError(response.status, answer.error ?? {});
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = `${rest}${value}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
