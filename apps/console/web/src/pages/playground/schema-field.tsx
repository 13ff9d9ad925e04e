import { Autocomplete, Fieldset, JsonInput, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { type FormValue, fieldOf, type OpenRpc, type Schema } from './open-rpc.ts';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly summary?: string;
  readonly isRequired?: boolean;
  readonly schema: Schema;
  readonly document: OpenRpc;
  readonly value: FormValue;
  readonly fault: { readonly field: string; readonly message: string } | undefined;
  readonly onChange: (value: FormValue) => void;
}

/** Form field of a parameter, by its schema. */
export function SchemaField({
  name,
  label,
  summary,
  isRequired = false,
  schema,
  document,
  value,
  fault,
  onChange,
}: FieldProps) {
  const field = fieldOf(schema, document);
  const text = typeof value === 'string' ? value : '';
  const common = {
    label,
    ...(summary !== undefined && { description: summary }),
    withAsterisk: isRequired,
    error: fault?.field === name ? fault.message : undefined,
  };
  switch (field.kind) {
    case 'flag':
      return (
        <Switch
          label={label}
          {...(summary !== undefined && { description: summary })}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          {...common}
          data={[{ value: '', label: 'none' }, ...field.values]}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'fields': {
      const inner = typeof value === 'object' ? value : {};
      return (
        <Fieldset legend={label} miw={0}>
          <Stack gap="xs">
            {field.fields.map(([part, partSchema]) => (
              <SchemaField
                key={part}
                name={`${name}.${part}`}
                label={part}
                schema={partSchema}
                document={document}
                value={inner[part]}
                fault={fault}
                onChange={(changed) => onChange({ ...inner, [part]: changed })}
              />
            ))}
          </Stack>
        </Fieldset>
      );
    }
    case 'json':
      return (
        <JsonInput {...common} placeholder="JSON" autosize minRows={2} maxRows={12} value={text} onChange={onChange} />
      );
    case 'text':
      if (field.suggestions.length > 0)
        return <Autocomplete {...common} data={[...field.suggestions]} value={text} onChange={onChange} />;
      return (
        <TextInput
          {...common}
          placeholder={field.pattern?.startsWith('^0x') ? '0x…' : ''}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="numeric"
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
