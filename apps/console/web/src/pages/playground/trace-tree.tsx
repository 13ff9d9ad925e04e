import { Badge, Box, Code, Group, Text } from '@mantine/core';
import { count, short } from '../../format.ts';

/** Frame of callTracer. */
export interface CallFrame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly calls?: readonly CallFrame[];
}

/** Reports whether a result is a frame of callTracer. */
export function isCallFrame(value: unknown): value is CallFrame {
  if (typeof value !== 'object' || value === null) return false;
  return 'type' in value && 'from' in value && 'gasUsed' in value && 'input' in value;
}

/** Calls of a transaction as a tree. */
export function TraceTree({ frame }: { frame: CallFrame }) {
  return (
    <Box component="ul" className="plain-list" p={0} m={0} aria-label="Calls">
      <Frame frame={frame} />
    </Box>
  );
}

function Frame({
  frame: { type, from, to, value, gasUsed, input, error, revertReason, calls = [] },
}: {
  frame: CallFrame;
}) {
  const hasValue = value !== undefined && BigInt(value) > 0n;
  return (
    <li>
      <Group gap="xs" py={4}>
        <Badge color={error === undefined ? 'teal' : 'red'}>{type}</Badge>
        <Code title={to ?? from}>{short(to ?? 'creation', 12)}</Code>
        <Code title={input}>{input.length > 10 ? `${input.slice(0, 10)}…` : input}</Code>
        <Text size="xs" c="dimmed">
          {count(Number(gasUsed))} gas{hasValue && `, ${BigInt(value).toString()} wei`}
        </Text>
        {error !== undefined && (
          <Text size="sm" c="red">
            {[error, revertReason].filter(Boolean).join(': ')}
          </Text>
        )}
      </Group>
      {calls.length > 0 && (
        <Box component="ul" className="trace-branch" aria-label={`Calls of ${short(to ?? from, 12)}`}>
          {calls.map((call, index) => (
            <Frame key={`${call.type} ${String(index)}`} frame={call} />
          ))}
        </Box>
      )}
    </li>
  );
}
