import { Alert, Code, Stack, Table, Text } from '@mantine/core';
import type { RpcAnswer } from '../../api.ts';
import type { DecodedValue } from './abi-call.ts';
import { isCallFrame, TraceTree } from './trace-tree.tsx';

const shownCharacters = 200_000;

/** Result or error of a call, decoded where its form is known. */
export function Outcome({
  answer: { result, error },
  durationMs,
  decoded,
  revert,
}: {
  answer: RpcAnswer<unknown>;
  durationMs: number;
  /** Outputs of the chosen function of an ABI. */
  decoded?: readonly DecodedValue[] | undefined;
  /** Custom error of the ABI. */
  revert?: string | undefined;
}) {
  if (error) {
    const isRevert = error.code === 3;
    return (
      <Alert
        color={isRevert ? 'orange' : 'red'}
        title={isRevert ? 'The contract reverted' : `Error ${error.code}`}
        role="alert"
      >
        <Text size="sm">{error.message}</Text>
        {revert !== undefined && <Code>{revert}</Code>}
        {error.data !== undefined && error.data !== '0x' && (
          <Code block tabIndex={0} className="wrap-anywhere">
            {typeof error.data === 'string' ? error.data : JSON.stringify(error.data, undefined, 2)}
          </Code>
        )}
      </Alert>
    );
  }
  const text = JSON.stringify(result, undefined, 2) ?? 'null';
  const number = asNumber(result);
  return (
    <Alert color="teal" title={`Result in ${Math.round(durationMs)} ms`} role="status">
      <Stack gap="sm">
        {decoded !== undefined && <Decoded values={decoded} />}
        {number !== undefined && <Text size="sm">As a number: {number}</Text>}
        {isCallFrame(result) && <TraceTree frame={result} />}
        <Code block tabIndex={0} mah={480} aria-label="Result">
          {text.slice(0, shownCharacters)}
          {text.length > shownCharacters && `\n… ${text.length - shownCharacters} more characters`}
        </Code>
      </Stack>
    </Alert>
  );
}

function Decoded({ values }: { values: readonly DecodedValue[] }) {
  return (
    <Table aria-label="Decoded outputs">
      <Table.Tbody>
        {values.map(({ name, type, text }, index) => (
          <Table.Tr key={String(index)}>
            <Table.Th>{[type, name].filter(Boolean).join(' ')}</Table.Th>
            <Table.Td className="wrap-anywhere">{text}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Decimal form of a quantity or of one word. */
function asNumber(result: unknown): string | undefined {
  return typeof result === 'string' && /^0x[0-9a-f]{1,64}$/i.test(result) ? BigInt(result).toString() : undefined;
}
