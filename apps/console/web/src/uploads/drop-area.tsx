import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconUpload } from '@tabler/icons-react';
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { readChosen, readDropped, type UploadSource } from './upload-source.ts';
import { uploads } from './use-uploads.ts';

/** Adds files and folders to the queue, by drop or by button. */
export function DropArea({ isOff }: { isOff: boolean }) {
  const [isOver, setIsOver] = useState(false);
  const [isReading, setIsReading] = useState(false);
  const add = async (read: () => readonly UploadSource[] | Promise<readonly UploadSource[]>) => {
    setIsReading(true);
    try {
      uploads.add(await read());
    } catch (error) {
      const message = error instanceof Error && error.message !== '' ? error.message : 'Choose the file again.';
      notifications.show({ title: 'The browser could not read the file', message, color: 'red' });
    } finally {
      setIsReading(false);
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    if (!isOff) void add(() => readDropped(event.dataTransfer));
  };
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label="Add files"
      bg={isOver && !isOff ? 'var(--mantine-primary-color-light)' : undefined}
      style={{ borderStyle: 'dashed' }}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <Group justify="center" gap="lg">
        <IconUpload size={28} stroke={1.5} aria-hidden />
        <Stack gap={2}>
          <Text fw={600}>{isReading ? 'Reading the folder…' : 'Drop files or folders here'}</Text>
          <Text size="sm" c="dimmed">
            A folder becomes one directory with its tree.
          </Text>
        </Stack>
        <Group gap="xs">
          <Choose label="Choose files" isOff={isOff} onChoose={(files) => void add(() => readChosen(files))} />
          <Choose
            label="Choose a folder"
            isFolder
            isOff={isOff}
            onChoose={(files) => void add(() => readChosen(files))}
          />
        </Group>
      </Group>
    </Paper>
  );
}

function Choose({
  label,
  isFolder = false,
  isOff,
  onChoose,
}: {
  label: string;
  isFolder?: boolean;
  isOff: boolean;
  onChoose: (files: FileList) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    if (currentTarget.files !== null && currentTarget.files.length > 0) onChoose(currentTarget.files);
    // Reset, so that choosing the same file fires the event again.
    currentTarget.value = '';
  };
  return (
    <>
      <Button variant="default" disabled={isOff} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={onChange}
        {...(isFolder && { webkitdirectory: '' })}
      />
    </>
  );
}
