/** Returns the messages of an error and of its causes, outermost first. Stops after eight, since causes can form a cycle. */
export function errorChain(error: unknown): string[] {
  const messages: string[] = [];
  let current = error;
  while (current !== undefined && current !== null && messages.length < 8) {
    messages.push(current instanceof Error ? current.message : String(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return messages;
}

/** Returns `message` and `hint` as text for a person. Adds a full stop between them where the message has no final punctuation. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  if (hint === undefined || hint === '') return error.message;
  return `${error.message}${/[.!?:…]$/.test(error.message) ? '' : '.'} ${hint}`;
}
