/**
 * The option of every `files` command of Kubo. Every change is durable when it is answered, so it is read for its type, and
 * where a command depends on it.
 */
export const flushOption = { flush: { kind: 'boolean', alias: 'f', default: true } } as const;
