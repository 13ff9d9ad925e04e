const boundary = 'bench';
const part = (name, text) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n${text}\r\n`;
const end = `--${boundary}--\r\n`;
const pausesMs = [0, 0, 500, 1000];

/**
 * Measures how an add reports progress: time to the first line when parts arrive with pauses, and the rate of many
 * small files in one request, whose lines share commits.
 * @returns milliseconds and files per second
 */
export async function measureAddStream({ url, authorization, files = 2_000 }) {
  const firstLineMs = await firstLine(url, authorization);
  const start = performance.now();
  const body = Array.from({ length: files }, (_, n) => part(`f${n}`, `small ${n} ${start}`)).join('') + end;
  const answer = await add(url, authorization, body);
  const lines = (await answer.text()).trim().split('\n').length;
  if (lines !== files) throw new Error(`the answer has ${lines} lines for ${files} files`);
  return { firstLineMs, filesPerSecond: files / ((performance.now() - start) / 1000) };
}

async function firstLine(url, authorization) {
  const start = performance.now();
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async start(controller) {
      for (const [n, pause] of pausesMs.entries()) {
        await new Promise((resolve) => setTimeout(resolve, pause));
        controller.enqueue(encoder.encode(part(`p${n}`, `part ${n} ${start}`)));
      }
      controller.enqueue(encoder.encode(end));
      controller.close();
    },
  });
  const answer = await add(url, authorization, body);
  const reader = answer.body.getReader();
  await reader.read();
  const milliseconds = performance.now() - start;
  while (!(await reader.read()).done);
  return milliseconds;
}

async function add(url, authorization, body) {
  const headers = {
    ...(authorization && { authorization }),
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  const answer = await fetch(`${url}/api/v0/add`, { method: 'POST', headers, body, duplex: 'half' });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}
