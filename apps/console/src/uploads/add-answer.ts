import { CairnError } from '@cairn/errors';
import type { UpstreamAnswer } from '../upstream.ts';
import { storageRefusal } from './storage-refusal.ts';

interface AddedLine {
  readonly Name: string;
  readonly Hash: string;
}

/** Longest answer that is not a stream of lines, in characters. */
const textMax = 64 * 1024;

/**
 * Last line of the answer of an add: the root, which follows its entries. Earlier lines are discarded.
 * @throws CairnError for a refusal, also for one in the trailer
 */
export async function rootOfAdd({ status, headers, body, trailers }: UpstreamAnswer): Promise<AddedLine> {
  const isLines = status === 200;
  let text = '';
  try {
    for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (isLines) text = lastLines(text);
      else if (text.length > textMax) text = text.slice(0, textMax);
    }
  } catch (cause) {
    throw new CairnError(
      'SERVICE_UNREACHABLE',
      'The storage API closed the connection before its answer was complete.',
      {
        hint: 'Retry.',
        cause,
      },
    );
  }
  if (!isLines) throw storageRefusal(status, text, headers);
  // Set only after directory lines were sent. An earlier failure has its own status.
  const failure = trailers['x-stream-error'];
  if (failure !== undefined) throw storageRefusal(400, JSON.stringify({ Message: failure }));
  const line = text.trim().split('\n').at(-1) ?? '';
  const { Name, Hash } = line === '' ? ({} as Partial<AddedLine>) : (JSON.parse(line) as Partial<AddedLine>);
  if (Name === undefined || Hash === undefined)
    throw new CairnError('STORAGE_REFUSED', 'The upload contains no file.', { hint: 'Choose at least one file.' });
  return { Name, Hash };
}

/** Text from the start of the last complete line. */
function lastLines(text: string): string {
  const end = text.lastIndexOf('\n');
  const start = end <= 0 ? -1 : text.lastIndexOf('\n', end - 1);
  return text.slice(start + 1);
}
