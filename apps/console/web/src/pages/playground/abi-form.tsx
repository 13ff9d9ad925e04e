import { Button, FileButton, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Abi, AbiFunction } from 'viem';
import { Failure } from '../../parts.tsx';
import { AbiFault, functionsOf, parseAbiText, signatureOf } from './abi-call.ts';

const abiBytesMax = 5 * 1024 * 1024;

/** Function of an ABI with the texts of its arguments. */
export interface ChosenFunction {
  readonly abi: Abi;
  readonly item: AbiFunction;
  readonly texts: readonly string[];
}

/** Loads an ABI and chooses a function with its arguments. */
export function AbiForm({
  chosen,
  onChange,
}: {
  chosen: ChosenFunction | undefined;
  onChange: (chosen: ChosenFunction | undefined) => void;
}) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const load = (source: string) => {
    setText(source);
    setFault(undefined);
    onChange(undefined);
    if (source.trim() === '') return;
    try {
      const abi = parseAbiText(source);
      const [item] = functionsOf(abi);
      if (item === undefined) throw new AbiFault('The ABI has no functions.');
      onChange({ abi, item, texts: item.inputs.map(() => '') });
    } catch (error) {
      setFault(error instanceof AbiFault ? error.message : 'The ABI cannot be read.');
    }
  };
  const functions = chosen === undefined ? [] : functionsOf(chosen.abi);
  return (
    <Stack gap="xs">
      <Textarea
        label="ABI"
        description="Optional. With an ABI, arguments are entered by name and results are decoded."
        placeholder='[{"type":"function", …}]'
        autosize
        minRows={1}
        maxRows={4}
        value={text}
        onChange={(event) => load(event.currentTarget.value)}
      />
      <Group>
        <FileButton
          accept="application/json,.json,.abi"
          onChange={(file) => {
            if (file === null) return;
            if (file.size > abiBytesMax) return setFault('The file is longer than 5 MiB.');
            file.text().then(load, () => setFault('The file cannot be read.'));
          }}
        >
          {(props) => (
            <Button {...props} size="xs" variant="default">
              Open a file
            </Button>
          )}
        </FileButton>
        {chosen !== undefined && <Text size="sm">{functions.length} functions</Text>}
      </Group>
      {fault !== undefined && <Failure error={{ message: fault }} />}
      {chosen !== undefined && (
        <>
          <NativeSelect
            label="Function"
            data={functions.map((item, index) => ({ value: String(index), label: signatureOf(item) }))}
            value={String(functions.findIndex((item) => signatureOf(item) === signatureOf(chosen.item)))}
            onChange={(event) => {
              const item = functions[Number(event.currentTarget.value)];
              if (item !== undefined) onChange({ abi: chosen.abi, item, texts: item.inputs.map(() => '') });
            }}
          />
          {chosen.item.inputs.map(({ name, type }, index) => (
            <TextInput
              key={`${type} ${String(index)}`}
              label={`${name || `argument ${index + 1}`} (${type})`}
              value={chosen.texts[index] ?? ''}
              onChange={(event) => {
                const texts = [...chosen.texts];
                texts[index] = event.currentTarget.value;
                onChange({ ...chosen, texts });
              }}
            />
          ))}
        </>
      )}
    </Stack>
  );
}
