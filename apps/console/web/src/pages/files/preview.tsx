import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { addressOf } from './address.ts';
import { type FileRow, titleOf } from './file-row.ts';

/** Bytes of a text that the preview reads. */
const textBytesMax = 64 * 1024;

const kinds: readonly { readonly kind: 'image' | 'video' | 'audio' | 'pdf' | 'text'; readonly name: RegExp }[] = [
  { kind: 'image', name: /\.(png|jpe?g|gif|webp|avif)$/i },
  { kind: 'video', name: /\.(mp4|webm)$/i },
  { kind: 'audio', name: /\.(mp3|ogg)$/i },
  { kind: 'pdf', name: /\.pdf$/i },
  { kind: 'text', name: /\.(txt|md|csv|log|json)$/i },
];

/** Content of a file in the page, for types that browsers display without running code. */
export function Preview({ row }: { row: FileRow }) {
  const kind = kinds.find(({ name }) => name.test(row.name))?.kind;
  const address = addressOf(row);
  const title = `Preview of ${titleOf(row)}`;
  if (kind === 'image') return <img src={address} alt={title} className="preview" />;
  if (kind === 'video')
    return (
      // biome-ignore lint/a11y/useMediaCaption: files of customers have no captions that this page knows.
      <video src={address} controls preload="metadata" className="preview" aria-label={title} />
    );
  if (kind === 'audio')
    return (
      // biome-ignore lint/a11y/useMediaCaption: files of customers have no captions that this page knows.
      <audio src={address} controls preload="metadata" aria-label={title} />
    );
  if (kind === 'pdf') return <iframe src={address} title={title} className="preview preview-page" />;
  if (kind === 'text') return <TextPreview address={address} title={title} />;
  return null;
}

function TextPreview({ address, title }: { address: string; title: string }) {
  const text = useQuery({
    queryKey: ['preview', address],
    queryFn: () => readStart(address),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.data === undefined)
    return text.error ? (
      <Text size="sm" c="dimmed">
        The preview cannot be read.
      </Text>
    ) : null;
  return (
    <Code block mah={320} tabIndex={0} role="region" aria-label={title}>
      {text.data}
    </Code>
  );
}

/** First bytes of a text, with a mark if more follow. */
async function readStart(address: string): Promise<string> {
  const answer = await fetch(address, { headers: { range: `bytes=0-${textBytesMax - 1}` } });
  // An empty file has no ranges.
  if (answer.status === 416) return '';
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const text = await answer.text();
  const size = Number(answer.headers.get('content-range')?.split('/').at(-1) ?? 0);
  return size > textBytesMax ? `${text}…` : text;
}
