import { Group, NumberInput, Select } from '@mantine/core';
import { useState } from 'react';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
type Unit = (typeof units)[number];

/** Number of bytes with its unit. An empty field is `''`. */
export function BytesInput({
  label,
  description,
  placeholder,
  value = '',
  onChange,
}: {
  label: string;
  description?: string;
  placeholder?: string;
  value?: number | '';
  onChange: (bytes: number | '') => void;
}) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(value));
  // The typed text, which may be incomplete: `1.`
  const [count, setCount] = useState<number | string>(value === '' ? '' : value / sizeOf(unit));
  const change = (next: number | string, nextUnit: Unit) => {
    setCount(next);
    setUnit(nextUnit);
    const bytes = Math.round(Number(next) * sizeOf(nextUnit));
    onChange(next === '' || !Number.isFinite(bytes) ? '' : bytes);
  };
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <NumberInput
        flex={1}
        label={label}
        description={description}
        placeholder={placeholder}
        min={0}
        decimalScale={unit === 'B' ? 0 : 3}
        value={count}
        onChange={(next) => change(next, unit)}
      />
      <Select
        w={92}
        aria-label={`Unit of ${label}`}
        data={units}
        value={unit}
        allowDeselect={false}
        // The number stays, so that a person can choose the unit after typing it.
        onChange={(chosen) => change(count, (chosen ?? 'MiB') as Unit)}
      />
    </Group>
  );
}

function sizeOf(unit: Unit): number {
  return 1024 ** units.indexOf(unit);
}

/** The largest unit in which the number has at most three decimals. */
function unitOf(value: number | ''): Unit {
  if (value === '' || value === 0) return 'MiB';
  const whole = units.findLast(
    (_, power) => value >= 1024 ** power && Number.isInteger((value * 1000) / 1024 ** power),
  );
  return whole ?? 'B';
}
