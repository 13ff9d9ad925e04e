import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useChange } from './use-api.ts';

/** Dialog with a form: its fields, and buttons to cancel and to send it. */
export function FormDialog({
  title,
  action,
  isSending,
  isReady,
  onSend,
  onClose,
  children,
}: {
  title: string;
  /** Label of the button that sends the form. */
  action: string;
  isSending: boolean;
  isReady: boolean;
  onSend: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSend();
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSending} disabled={!isReady}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Dialog with one field. A refusal appears below the field. */
export function FieldDialog({
  title,
  action,
  done,
  field,
  initial = '',
  change,
  onClose,
}: {
  title: string;
  action: string;
  /** Message after the change. */
  done: string;
  field: { label: string; description: string; placeholder?: string; maxLength: number };
  initial?: string;
  change: (value: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [value, setValue] = useState(initial);
  const send = useChange((wanted: string) => change(wanted).then(onClose), { done, isQuiet: true });
  return (
    <FormDialog
      title={title}
      action={action}
      isSending={send.isPending}
      isReady={value.trim() !== ''}
      onSend={() => send.mutate(value)}
      onClose={onClose}
    >
      <TextInput
        {...field}
        data-autofocus
        value={value}
        error={send.error?.message}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
